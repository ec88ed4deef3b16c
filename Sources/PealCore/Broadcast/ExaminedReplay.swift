internal import CPealSupport
import PealCall

/// The loops over a list in which some results may not count: those of passive observers, and of handlers that abstain.
struct ExaminedReplay: ResultLoops {
    private let replay: ResultReplay
    /// The number of calls whose results do not count.
    private var ignored = 0

    @inline(__always)
    init(_ replay: ResultReplay) { self.replay = replay }

    var plan: CallPlan.Pointer { replay.plan }

    @inline(__always)
    mutating func fold<Tail: ResultTail>(_ tail: Tail) -> ResultWords {
        // An earlier broadcast may have left its last answer in the slot. After that only a call that abstains changes
        // the answer.
        replay.hazard.pointee.answer = PEAL_ANSWER_GIVEN.rawValue
        let (replay, hazard) = (replay, replay.hazard)
        return withUnsafeMutablePointer(to: &ignored) {
            replay.foldCompactly(ExaminedTail(tail: tail, hazard: hazard, ignored: $0))
        }
    }

    @inline(__always)
    func counted(of calls: Int) -> Int { calls - ignored }
}

/// A tail that takes only the results that count.
private struct ExaminedTail<Tail: ResultTail>: ResultTail {
    var tail: Tail
    let hazard: Broadcast.Hazard
    let ignored: UnsafeMutablePointer<Int>

    var words: (UInt64, UInt64) { tail.words }

    @inline(__always)
    mutating func take(_ first: UInt64, _ second: UInt64) -> Bool { tail.take(first, second) }

    @inline(__always)
    mutating func take(_ first: UInt64, _ second: UInt64, of entry: UnsafePointer<peal_entry>) -> Bool {
        guard _fastPath(hazard.pointee.answer == PEAL_ANSWER_GIVEN.rawValue && !entry.pointee.record.isPassive) else {
            hazard.pointee.answer = PEAL_ANSWER_GIVEN.rawValue
            ignored.pointee += 1
            return true
        }
        return tail.take(first, second)
    }
}
