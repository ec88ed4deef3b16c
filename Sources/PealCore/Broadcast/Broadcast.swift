public import CPealSupport
public import PealCall

/// The path of a broadcast. Nothing here allocates or takes a lock.
public enum Broadcast {
    /// Argument values, one pointer a parameter.
    public typealias Arguments = UnsafePointer<UnsafeMutableRawPointer?>
    /// A list, and what keeps it: one of the thread's levels.
    public typealias List = UnsafePointer<peal_snapshot>
    public typealias Hold = UnsafeMutablePointer<peal_thread_hold>

    /// How a broadcast ended. What is behind a failure is looked up later, by `BroadcastFailure`.
    public enum Outcome: UInt8, Error {
        case done, deferred, truncated, rejected
        case unknownMethod, wrongArgumentCount, nullArgument, noResult, wrongPolicy, missingFold, wrongCollection
        case tooDeep, recursionRejected, deferralLimit, captureFailed, notRecordable, staleCompletion, needsTokens, outOfMemory

        public var isFailure: Bool {
            switch self {
            case .done, .deferred, .truncated, .rejected: false
            default: true
            }
        }
    }

    /// Whether there is nobody to call and no result to fill in: the method's place says so, and nothing
    /// is held.
    @inlinable
    @inline(__always)
    public static func isHeardByNobody(
        _ place: UnsafeMutablePointer<peal_directory_place>, _ arguments: Arguments?, _ count: Int,
        _ result: UnsafeMutableRawPointer?, _ number: UInt64
    ) -> Bool {
        guard _slowPath(peal_directory_has_nobody(place)), result == nil else { return false }
        // The number last: while it is there, what was read before it was the method's.
        guard peal_directory_parameter_count(place) == count, peal_directory_is_of(place, number) else { return false }
        return count == 0 ? true : arguments != nil
    }

    /// How the calls of a held list are made.
    public enum Path {
        /// Results dropped, and up to four integers: no frame in memory, and no word more than it needs.
        case integers
        /// The same with a frame on the thread's stack; and with arguments that travel on the stack.
        case registers, stack
        /// The same through `ffi_call`.
        case ffi
        /// Results, restricted recursion, mistakes.
        case general
    }

    @inlinable
    @inline(__always)
    public static func path(
        _ snapshot: List, _ count: Int, _ result: UnsafeMutableRawPointer?, _ number: UInt64
    ) -> Path {
        // The number first: with another method's list nothing else means anything.
        guard peal_snapshot_method(snapshot) == number, result == nil else { return .general }
        let traits = MethodTraits(rawValue: peal_snapshot_traits(snapshot))
        if traits.takesIntegers(count) { return .integers }
        guard peal_snapshot_parameter_count(snapshot) == count else { return .general }
        if let shape = traits.plainFrame { return shape.usesStack ? .stack : .registers }
        return traits.isPlain ? .ffi : .general
    }

    /// Whether a method can be broadcast through `ffi_call` without a look at results and recursion, also
    /// where a frame would do.
    @inlinable
    @inline(__always)
    public static func isPlain(_ snapshot: List, _ count: Int, _ number: UInt64) -> Bool {
        peal_snapshot_method(snapshot) == number && peal_snapshot_parameter_count(snapshot) == count
            && MethodTraits(rawValue: peal_snapshot_traits(snapshot)).isPlain
    }

    /// - Returns: False when an argument is null: nobody was called, and the list is still held. So with
    ///   the next three.
    @inlinable
    @inline(__always)
    public static func sendIntegers(
        _ hold: Hold, _ snapshot: List, _ arguments: Arguments?, _ count: Int,
        _ calls: UnsafeMutablePointer<Int>?
    ) -> Bool {
        let replay = IntegerReplay(
            snapshot: snapshot, traits: MethodTraits(rawValue: peal_snapshot_traits(snapshot)), arguments: arguments,
            hold: hold)
        guard let called = replay.replay(count) else { return false }
        if let calls { calls.pointee = called }
        release(hold)
        return true
    }

    /// A frame carries at least one argument: without any, there are zero integers.
    @inlinable
    @inline(__always)
    public static func sendInRegisters(
        _ hold: Hold, _ snapshot: List, _ arguments: Arguments?, _ calls: UnsafeMutablePointer<Int>?
    ) -> Bool {
        var frame = peal_register_frame_room()
        return withUnsafeMutablePointer(to: &frame) { frame in
            let words = UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UInt64.self)
            guard let shape = build(words, from: arguments, for: snapshot) else { return false }
            let called = FrameReplay.withRegisters(
                shape, words, to: peal_snapshot_entries(snapshot), count: Int(peal_snapshot_count(snapshot)),
                hold)
            if let calls { calls.pointee = called }
            release(hold)
            return true
        }
    }

    /// The same with arguments on the stack. A function of its own: its frame is twice the size.
    @inlinable
    @inline(__always)
    public static func sendOnStack(
        _ hold: Hold, _ snapshot: List, _ arguments: Arguments?, _ calls: UnsafeMutablePointer<Int>?
    ) -> Bool {
        var frame = peal_whole_frame_room()
        return withUnsafeMutablePointer(to: &frame) { frame in
            let words = UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UInt64.self)
            guard let shape = build(words, from: arguments, for: snapshot) else { return false }
            let called = FrameReplay.withStack(
                shape, words, to: peal_snapshot_entries(snapshot), count: Int(peal_snapshot_count(snapshot)),
                hold)
            if let calls { calls.pointee = called }
            release(hold)
            return true
        }
    }

    public static func sendThroughFFI(
        _ hold: Hold, _ snapshot: List, _ arguments: Arguments?, _ calls: UnsafeMutablePointer<Int>?
    ) -> Bool {
        let called = FFIReplay.each(
            peal_snapshot_plan(snapshot).assumingMemoryBound(to: CallPlan.self), arguments,
            to: peal_snapshot_entries(snapshot), count: Int(peal_snapshot_count(snapshot)), hold)
        guard let called else { return false }
        if let calls { calls.pointee = called }
        release(hold)
        return true
    }

    /// Fills a frame, once a broadcast.
    ///
    /// - Returns: Its shape, or nil when an argument is null.
    @inlinable
    @inline(__always)
    static func build(
        _ words: UnsafeMutablePointer<UInt64>, from arguments: Arguments?, for snapshot: List
    ) -> FrameShape? {
        let plan = peal_snapshot_plan(snapshot).assumingMemoryBound(to: CallPlan.self)
        guard let arguments, CallPlan.buildFrame(plan, from: arguments, into: words) else { return nil }
        return MethodTraits(rawValue: peal_snapshot_traits(snapshot)).plainFrame
    }

    /// The general path.
    ///
    /// After a failure `BroadcastFailure.last` knows what the call was.
    public static func sendGenerally(
        _ hold: Hold, _ arguments: Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
        _ calls: UnsafeMutablePointer<Int>?, _ number: UInt64
    ) -> Outcome {
        if let outcome = ResultWords.send(hold, arguments, count, result, calls, number) { return outcome }
        if let outcome = Delivery.sendPlainly(hold, arguments, count, result, calls, number) { return outcome }
        return GeneralBroadcast(hold: hold, number: number, arguments: arguments, count: count)
            .runAndRelease(BroadcastRequest(result: result), calls: calls)
    }

    /// What a hold that was just taken holds.
    @inlinable
    @inline(__always)
    public static func list(_ hold: Hold) -> List {
        peal_hold_list(hold).unsafelyUnwrapped
    }

    @inlinable
    @inline(__always)
    public static func release(_ hold: Hold) {
        if peal_hold_release(hold) { answer(hold) }
    }

    @usableFromInline
    @inline(never)
    static func answer(_ hold: Hold) {
        // Of its last call.
        WeakHold.releaseEnded(hold)
        Reclaimer.answer(hold)
    }

    /// Holds a method's list by the long path: the thread's first broadcast, or readers must fence, or it
    /// is nested.
    ///
    /// - Parameter mark: Whose hold it is: see thread.h.
    public static func hold(
        _ number: UInt64, _ arguments: Arguments?, _ count: Int, mark: Int = PEAL_HOLD_OF_LIBRARY
    ) throws(Outcome) -> Hold {
        guard peal_thread_current() != nil else { throw .outOfMemory }
        guard let place = peal_directory_find(number) else {
            throw fail(.unknownMethod, number, arguments, count)
        }
        guard let hold = peal_hold_slowly(place, UInt(mark)) else {
            throw fail(.tooDeep, number, arguments, count)
        }
        return hold
    }

    /// Notes what failed, for the sentence that may be made of it.
    @usableFromInline
    @inline(never)
    static func fail(_ outcome: Outcome, _ number: UInt64, _ arguments: Arguments?, _ count: Int) -> Outcome {
        guard let thread = peal_thread_current() else { return .outOfMemory }
        thread.pointee.failed_method = number
        thread.pointee.failed_arguments = UnsafeRawPointer(arguments)
        thread.pointee.failed_count = count
        return outcome
    }

    /// Broadcasts as the caller asks.
    ///
    /// - Parameter runsDeferred: Whether calls that were deferred are run when this one has ended. The
    ///   loop that runs them says no: it goes on itself.
    public static func send(
        _ number: UInt64, arguments: Arguments?, count: Int, request: BroadcastRequest,
        calls: UnsafeMutablePointer<Int>?, runsDeferred: Bool = true
    ) -> Outcome {
        calls?.pointee = 0
        do throws(Outcome) {
            return GeneralBroadcast(hold: try hold(number, arguments, count), number: number, arguments: arguments, count: count)
                .runAndRelease(request, calls: calls, runsDeferred: runsDeferred)
        } catch {
            return error
        }
    }
}
