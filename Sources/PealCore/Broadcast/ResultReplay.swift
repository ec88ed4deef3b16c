internal import CPealSupport
import PealCall

/// The loops of a broadcast for its results.
protocol ResultLoops {
    init(_ replay: ResultReplay)
    var plan: CallPlan.Pointer { get }
    /// Calls each observer, and has the tail take the results that count.
    mutating func fold<Tail: ResultTail>(_ tail: Tail) -> ResultWords
    /// The number of calls whose results count, after the loop that made these calls.
    func counted(of calls: Int) -> Int
}

/// Replays a register frame to every observer for the results: the loops, one for each tail and each set of registers
/// in which a call returns its result. Each result counts.
struct ResultReplay: ResultLoops {
    let plan: CallPlan.Pointer
    let shape: FrameShape
    let list: Broadcast.List
    let hazard: Broadcast.Hazard
    let words: UnsafePointer<UInt64>

    @inline(__always)
    init(_ replay: ResultReplay) { self = replay }

    @inline(__always)
    init(
        plan: CallPlan.Pointer, shape: FrameShape, list: Broadcast.List, hazard: Broadcast.Hazard,
        words: UnsafePointer<UInt64>
    ) {
        self.plan = plan
        self.shape = shape
        self.list = list
        self.hazard = hazard
        self.words = words
    }

    @inline(__always)
    func counted(of calls: Int) -> Int { calls }

    /// Returns true if results of a plan are at most two words, which tails take. On x86-64 all are.
    @inline(__always)
    static func takesResults(of plan: CallPlan.Pointer) -> Bool {
        PEAL_RESULT_FLOATS <= 2 || plan.pointee.resultSize <= 2 * MemoryLayout<UInt64>.size
    }

    /// Calls each observer, and has the tail take its result.
    ///
    /// A call may pass more registers than its function takes, so few loops serve most shapes.
    @inline(never)
    @_optimize(speed)
    func fold<Tail: ResultTail>(_ tail: Tail) -> ResultWords {
        if Tail.isRare { return foldCompactly(tail) }
        // Local copies of the tail and of the frame's address stay in registers.
        var tail = tail
        let words = words
        let calls =
            switch plan.pointee.resultLocation {
            case .integer where shape.hasAtMostTwoFloats:
                each(&tail) { (peal_frame_i_all_2_0($0.pointee.function, $0.pointee.target, words), 0) }
            case .integer where shape.hasAtMostFourStackWords:
                each(&tail) { (peal_frame_i_all_0_4($0.pointee.function, $0.pointee.target, words), 0) }
            case .float where shape.hasAtMostTwoFloats:
                each(&tail) { (peal_frame_s_all_2_0($0.pointee.function, $0.pointee.target, words).bitPattern, 0) }
            default:
                each(&tail) { callThroughMemory($0) }
            }
        return ResultWords(words: tail.words, calls: calls)
    }

    /// The same by one loop, which takes a few instructions more for each observer. A set of loops has 2.5 KB for each
    /// tail, and this one a fifth of that.
    @inline(never)
    func foldCompactly<Tail: ResultTail>(_ tail: Tail) -> ResultWords {
        var tail = tail
        let calls = each(&tail) { call($0) }
        return ResultWords(words: tail.words, calls: calls)
    }

    @inline(never)
    @_optimize(speed)
    private func call(_ entry: UnsafePointer<peal_entry>) -> (UInt64, UInt64) {
        switch plan.pointee.resultLocation {
        case .integer where shape.hasAtMostTwoFloats:
            (peal_frame_i_all_2_0(entry.pointee.function, entry.pointee.target, words), 0)
        default: callThroughMemory(entry)
        }
    }

    @inline(__always)
    private func each<Tail: ResultTail>(
        _ tail: inout Tail, _ call: (UnsafePointer<peal_entry>) -> (UInt64, UInt64)
    ) -> Int {
        FrameReplay.eachEntry(peal_snapshot_entries(list), Int(peal_snapshot_count(list)), hazard) { entry in
            let (first, second) = call(entry)
            return tail.take(first, second, of: entry)
        }
    }

    /// Any frame and any result.
    @inline(never)
    private func callThroughMemory(_ entry: UnsafePointer<peal_entry>) -> (UInt64, UInt64) {
        var result = peal_result_room()
        withUnsafeMutablePointer(to: &result) { result in
            CallPlan.callWithFrame(
                plan, shape: shape, function: entry.pointee.function, target: entry.pointee.target, words: words,
                result: result)
        }
        return (result.words.0, result.words.1)
    }
}
