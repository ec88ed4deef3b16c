internal import CPealSupport
import PealCall

/// The loops of a broadcast for results in an integer register, with up to four integers as arguments. These stay in
/// registers. Each result counts.
struct IntegerResults {
    let plan: CallPlan.Pointer
    private let list: Broadcast.List
    private let hazard: Broadcast.Hazard
    private let integers: (UInt64, UInt64, UInt64, UInt64)
    private let isPair: Bool

    private typealias Target = UnsafeMutableRawPointer
    private typealias Pair = @convention(c) (Target?, UInt64, UInt64) -> UInt64
    private typealias Four = @convention(c) (Target?, UInt64, UInt64, UInt64, UInt64) -> UInt64

    /// Returns true if the loops suit a plan.
    ///
    /// - Parameter count: The number of arguments.
    @inline(__always)
    static func fit(_ plan: CallPlan.Pointer, _ count: Int) -> Bool {
        guard plan.pointee.resultLocation == .integer, let integers = plan.pointee.integers else { return false }
        return Int(integers.count) == count
    }

    /// - Parameter list: A list with a plan that the loops suit.
    /// - Returns: nil if an argument is missing.
    @inline(__always)
    init?(_ list: Broadcast.List, _ hazard: Broadcast.Hazard, _ arguments: Broadcast.Arguments?, _ count: Int) {
        plan = peal_snapshot_plan(list).assumingMemoryBound(to: CallPlan.self)
        self.list = list
        self.hazard = hazard
        isPair = count <= 2
        let narrow = plan.pointee.integers.unsafelyUnwrapped.narrow
        let source = PointedIntegers(arguments)
        func integer(_ index: Int) -> UInt64? {
            index < count ? source.integer(index, isNarrow: narrow & 1 << UInt8(index) != 0) : 0
        }
        guard let first = integer(0), let second = integer(1) else { return nil }
        guard !isPair else {
            integers = (first, second, 0, 0)
            return
        }
        guard let third = integer(2), let fourth = integer(3) else { return nil }
        integers = (first, second, third, fourth)
    }

    /// Calls each observer, and has the tail take its result. A call may pass more registers than its function takes, so
    /// two loops serve all methods.
    @inline(__always)
    func fold<Tail: ResultTail>(_ tail: Tail) -> ResultWords {
        // Local copies stay in registers.
        var tail = tail
        let (a, b, c, d) = integers
        let calls =
            isPair
            ? each(&tail) { unsafeBitCast($0, to: Pair.self)($1, a, b) }
            : each(&tail) { unsafeBitCast($0, to: Four.self)($1, a, b, c, d) }
        return ResultWords(words: tail.words, calls: calls)
    }

    @inline(__always)
    private func each<Tail: ResultTail>(
        _ tail: inout Tail, _ call: (@escaping peal_frame_function, Target?) -> UInt64
    ) -> Int {
        FrameReplay.eachEntry(peal_snapshot_entries(list), Int(peal_snapshot_count(list)), hazard) { entry in
            tail.take(call(entry.pointee.function, entry.pointee.target), 0)
        }
    }
}
