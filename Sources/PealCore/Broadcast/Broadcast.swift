public import CPealSupport
import PealCall

/// The path of a broadcast. Nothing here allocates or takes a lock.
public enum Broadcast {
    /// Argument values, one pointer for each parameter.
    public typealias Arguments = UnsafePointer<UnsafeMutableRawPointer?>
    /// A list, and the hazard slot of the thread that protects it.
    public typealias List = UnsafePointer<peal_snapshot>
    public typealias Hazard = UnsafeMutablePointer<peal_hazard_slot>

    /// The outcome of a broadcast. `BroadcastFailure` finds the cause of a failure later.
    public enum Outcome: UInt8, Error {
        case done, deferred, truncated, rejected
        case unknownMethod, wrongArgumentCount, nullArgument, noResult, wrongPolicy, missingFold, wrongCollection
        case tooDeep, recursionRejected, deferralLimit, captureFailed, notRecordable, staleCompletion, needsTokens,
            notKept, outOfMemory

        public var isFailure: Bool {
            switch self {
            case .done, .deferred, .truncated, .rejected: false
            default: true
            }
        }
    }

    /// The list of a slot that was just occupied.
    @inlinable
    @inline(__always)
    public static func list(_ hazard: Hazard) -> List {
        peal_hazard_list(hazard).unsafelyUnwrapped
    }

    @inlinable
    @inline(__always)
    public static func release(_ hazard: Hazard) {
        if peal_hazard_release(hazard) { answer(hazard) }
    }

    @usableFromInline
    @inline(never)
    static func answer(_ hazard: Hazard) {
        // The weak target of a typed loop that was left during the call.
        WeakHold.releaseEnded(hazard)
        RunningCalls.answer(hazard)
        Reclaimer.answer(hazard)
    }

    /// Protects a method's list on the slow path: for the thread's first broadcast, or a nested one.
    ///
    /// - Parameter mark: The mark of the party that releases the list: see thread.h.
    public static func protect(
        _ id: UInt64, _ arguments: Arguments?, _ count: Int, mark: Int = PEAL_HAZARD_OF_LIBRARY
    ) throws(Outcome) -> Hazard {
        guard peal_thread_current() != nil else { throw .outOfMemory }
        guard let element = peal_directory_find(id) else {
            throw fail(.unknownMethod, id, arguments, count)
        }
        guard let hazard = peal_hazard_protect_slow(element, UInt(mark)) else {
            throw fail(peal_thread_is_full() ? .tooDeep : .outOfMemory, id, arguments, count)
        }
        return hazard
    }

    /// Protects a method's list if no broadcast runs on the thread.
    @inline(__always)
    private static func protectFast(_ id: UInt64) -> Hazard? {
        guard let element = peal_directory_find(id), let hazard = peal_hazard_outermost() else { return nil }
        _ = peal_hazard_protect_fast(hazard, element, UInt(PEAL_HAZARD_OF_LIBRARY))
        return hazard
    }

    /// Stores the method and arguments of a failure, for its error sentence.
    @usableFromInline
    @inline(never)
    static func fail(_ outcome: Outcome, _ id: UInt64, _ arguments: Arguments?, _ count: Int) -> Outcome {
        guard let engine = peal_thread_current().map(peal_thread_engine) else { return .outOfMemory }
        engine.pointee.failed_method = id
        engine.pointee.failed_arguments = UnsafeRawPointer(arguments)
        engine.pointee.failed_count = count
        return outcome
    }

    /// Broadcasts as the request describes.
    ///
    /// - Parameter runsDeferred: True if deferred calls run when this broadcast has ended. False for the loop that
    ///   runs the deferred calls, which continues by itself.
    @_optimize(speed)
    public static func send(
        _ id: UInt64, arguments: Arguments?, count: Int, request: BroadcastRequest,
        calls: UnsafeMutablePointer<Int>?, runsDeferred: Bool = true
    ) -> Outcome {
        calls?.pointee = 0
        do throws(Outcome) {
            let hazard = if let outermost = protectFast(id) { outermost } else { try protect(id, arguments, count) }
            // The address is passed on, because a request has many words to copy.
            return withUnsafePointer(to: request) { request in
                if !request.pointee.isGeneral,
                    let outcome = sendForResult(
                        hazard, arguments, count, request.pointee.result, request, calls, id)
                {
                    return outcome
                }
                return runGenerally(hazard, id, arguments, count, request, calls, runsDeferred)
            }
        } catch {
            return error
        }
    }

    /// A function of its own, since the one above saves fewer registers without it.
    @inline(never)
    private static func runGenerally(
        _ hazard: Hazard, _ id: UInt64, _ arguments: Arguments?, _ count: Int,
        _ request: UnsafePointer<BroadcastRequest>, _ calls: UnsafeMutablePointer<Int>?, _ runsDeferred: Bool
    ) -> Outcome {
        GeneralBroadcast(hazard: hazard, id: id, arguments: arguments, count: count)
            .runAndRelease(request.pointee, calls: calls, runsDeferred: runsDeferred)
    }
}

/// The result of a broadcast for its caller: an outcome, or its form in the caller's interface.
///
/// The dispatcher is generic over it, so that each caller gets its own type in a register and the calls between the
/// steps of a broadcast are jumps.
public protocol BroadcastAnswer {
    /// The broadcast has called its observers.
    static var done: Self { get }
    /// Makes the result of any other outcome. The fast paths never call it.
    init(_ outcome: Broadcast.Outcome)
}

extension Broadcast.Outcome: BroadcastAnswer {
    public init(_ outcome: Broadcast.Outcome) { self = outcome }
}
