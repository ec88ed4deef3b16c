public import CPealSupport
import PealCall

/// The path of a broadcast. Nothing here allocates or takes a lock.
public enum Broadcast {
    /// Argument values, one pointer a parameter.
    public typealias Arguments = UnsafePointer<UnsafeMutableRawPointer?>

    /// How a broadcast ended. What is behind a failure is looked up later, by `BroadcastFailure`.
    public enum Outcome: UInt8, Error {
        case done, deferred, truncated
        case unknownMethod, wrongArgumentCount, nullArgument, wrongPolicy, missingFold, wrongCollection
        case tooDeep, recursionRejected, deferralLimit, outOfMemory

        var isFailure: Bool {
            switch self {
            case .done, .deferred, .truncated: false
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
        guard result == nil, peal_directory_has_nobody(place) else { return false }
        // The number last: while it is there, what was read before it was the method's.
        guard peal_directory_parameter_count(place) == count, peal_directory_is_of(place, number) else { return false }
        return count == 0 ? true : arguments != nil
    }

    /// How far the short way went: done, or what is held, or nothing was.
    public enum ShortWay {
        case done
        case held(UnsafeMutablePointer<peal_snapshot>)
        case closed
    }

    /// Up to four integers, results dropped: no frame in memory, and no word more than it needs.
    @inlinable
    @inline(__always)
    public static func sendShortly(
        _ place: UnsafeMutablePointer<peal_directory_place>, _ arguments: Arguments?, _ count: Int,
        _ result: UnsafeMutableRawPointer?, _ calls: UnsafeMutablePointer<Int>?, _ number: UInt64
    ) -> ShortWay {
        guard let thread = peal_thread_own_slot(), peal_thread_may_hold_shortly(thread) else { return .closed }
        let snapshot = peal_thread_hold_shortly(thread, place, UInt(PEAL_HOLD_OF_LIBRARY))
        let traits = MethodTraits(rawValue: peal_snapshot_traits(snapshot))
        guard peal_snapshot_method(snapshot) == number, result == nil, traits.takesIntegers(count),
            let called = IntegerReplay(snapshot: snapshot, traits: traits, arguments: arguments).replay(count)
        else { return .held(snapshot) }
        if let calls { calls.pointee = called }
        if peal_thread_release(thread) { answer(thread) }
        return .done
    }

    /// The long way, with what the short one holds.
    ///
    /// After a failure `BroadcastFailure.last` knows what the call was.
    public static func send(
        held snapshot: UnsafeMutablePointer<peal_snapshot>, _ arguments: Arguments?, _ count: Int,
        _ result: UnsafeMutableRawPointer?, _ calls: UnsafeMutablePointer<Int>?, _ number: UInt64
    ) -> Outcome {
        sendByFrame(snapshot, arguments, count, result, calls, number)
    }

    /// The whole way: the thread's first broadcast; or readers must fence; or it is nested to the limit.
    public static func send(
        _ number: UInt64, arguments: Arguments?, count: Int, result: UnsafeMutableRawPointer?,
        calls: UnsafeMutablePointer<Int>?
    ) -> Outcome {
        calls?.pointee = 0
        do throws(Outcome) {
            let snapshot = try hold(number, arguments, count, UInt(PEAL_HOLD_OF_LIBRARY))
            return sendByFrame(snapshot, arguments, count, result, calls, number)
        } catch {
            return error
        }
    }

    /// A frame on the thread's stack. It carries at least one argument: without any, there are zero
    /// integers.
    @inline(never)
    private static func sendByFrame(
        _ snapshot: Snapshot, _ arguments: Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
        _ calls: UnsafeMutablePointer<Int>?, _ number: UInt64
    ) -> Outcome {
        guard peal_snapshot_method(snapshot) == number, result == nil,
            let shape = MethodTraits(rawValue: peal_snapshot_traits(snapshot)).plainFrame,
            peal_snapshot_parameter_count(snapshot) == count, let arguments
        else {
            return sendGenerally(snapshot, arguments, count, result, calls, number)
        }
        guard !shape.usesStack else {
            return sendWithStack(snapshot, arguments, count, calls, number)
        }
        var frame = peal_register_frame_room()
        let isBuilt = withUnsafeMutablePointer(to: &frame) { frame in
            replay(UnsafeMutableRawPointer(frame), snapshot, shape, arguments, calls)
        }
        guard isBuilt else { return sendGenerally(snapshot, arguments, count, nil, calls, number) }
        release()
        return .done
    }

    /// The same with arguments on the stack. A function of its own: its frame is twice the size.
    @inline(never)
    private static func sendWithStack(
        _ snapshot: Snapshot, _ arguments: Arguments, _ count: Int, _ calls: UnsafeMutablePointer<Int>?,
        _ number: UInt64
    ) -> Outcome {
        let shape = MethodTraits(rawValue: peal_snapshot_traits(snapshot)).plainFrame.unsafelyUnwrapped
        var frame = peal_whole_frame_room()
        let isBuilt = withUnsafeMutablePointer(to: &frame) { frame in
            replay(UnsafeMutableRawPointer(frame), snapshot, shape, arguments, calls)
        }
        guard isBuilt else { return sendGenerally(snapshot, arguments, count, nil, calls, number) }
        release()
        return .done
    }

    @inline(__always)
    private static func release() {
        let thread = peal_thread_own_slot().unsafelyUnwrapped
        if peal_thread_release(thread) { answer(thread) }
    }

    /// Builds the frame once and replays it to each observer. False when an argument is null.
    @inline(__always)
    private static func replay(
        _ frame: UnsafeMutableRawPointer, _ snapshot: Snapshot, _ shape: FrameShape, _ arguments: Arguments,
        _ calls: UnsafeMutablePointer<Int>?
    ) -> Bool {
        let plan = peal_snapshot_plan(snapshot).assumingMemoryBound(to: CallPlan.self)
        let words = frame.assumingMemoryBound(to: UInt64.self)
        guard CallPlan.buildFrame(plan, from: arguments, into: words) else { return false }
        let entries = peal_snapshot_entries(snapshot)
        let count = Int(peal_snapshot_count(snapshot))
        let called =
            shape.usesStack
            ? FrameReplay.withStack(shape, words, to: entries, count: count)
            : FrameReplay.withRegisters(shape, words, to: entries, count: count)
        if let calls { calls.pointee = called }
        return true
    }

    /// The rest: results, restricted recursion, `ffi_call`, mistakes.
    @inline(never)
    private static func sendGenerally(
        _ snapshot: Snapshot, _ arguments: Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
        _ calls: UnsafeMutablePointer<Int>?, _ number: UInt64
    ) -> Outcome {
        general(snapshot, arguments, count, number)
            .runAndRelease(BroadcastRequest(result: result), calls: calls)
    }

    /// Who holds a list has a thread slot.
    private static func general(
        _ snapshot: Snapshot, _ arguments: Arguments?, _ count: Int, _ number: UInt64
    ) -> GeneralBroadcast {
        GeneralBroadcast(
            thread: peal_thread_own_slot().unsafelyUnwrapped, snapshot: snapshot, number: number,
            arguments: arguments, count: count)
    }

    /// Holds a method's list by the long path, claiming a slot for the thread where it has none.
    ///
    /// - Parameter mark: Whose hold it is: see thread.h.
    static func hold(
        _ number: UInt64, _ arguments: Arguments?, _ count: Int, _ mark: UInt
    ) throws(Outcome) -> UnsafeMutablePointer<peal_snapshot> {
        guard let thread = peal_thread_current() else { throw .outOfMemory }
        guard let place = peal_directory_find(number) else {
            throw fail(.unknownMethod, number, arguments, count)
        }
        guard let snapshot = peal_thread_hold(thread, place, mark) else {
            throw fail(.tooDeep, number, arguments, count)
        }
        return snapshot
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
            let snapshot = try hold(number, arguments, count, UInt(PEAL_HOLD_OF_LIBRARY))
            return general(snapshot, arguments, count, number)
                .runAndRelease(request, calls: calls, runsDeferred: runsDeferred)
        } catch {
            return error
        }
    }
}
