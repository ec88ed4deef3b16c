public import CPealSupport
import PealCall

/// The path of a broadcast. Nothing here allocates or takes a lock.
public enum Broadcast {
    /// Argument values, one pointer a parameter.
    public typealias Arguments = UnsafePointer<UnsafeMutableRawPointer?>
    /// A list, and what keeps it: one of the thread's levels.
    public typealias List = UnsafePointer<peal_snapshot>
    public typealias Hold = UnsafeMutablePointer<peal_hazard_slot>

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

    /// What a hold that was just taken holds.
    @inlinable
    @inline(__always)
    public static func list(_ hold: Hold) -> List {
        peal_hazard_list(hold).unsafelyUnwrapped
    }

    @inlinable
    @inline(__always)
    public static func release(_ hold: Hold) {
        if peal_hazard_release(hold) { answer(hold) }
    }

    @usableFromInline
    @inline(never)
    static func answer(_ hold: Hold) {
        // Of its last call.
        WeakHold.releaseEnded(hold)
        RunningCalls.answer(hold)
        Reclaimer.answer(hold)
    }

    /// Holds a method's list by the long path: the thread's first broadcast, or readers must fence, or it
    /// is nested.
    ///
    /// - Parameter mark: Whose hold it is: see thread.h.
    public static func hold(
        _ number: UInt64, _ arguments: Arguments?, _ count: Int, mark: Int = PEAL_HAZARD_OF_LIBRARY
    ) throws(Outcome) -> Hold {
        guard peal_thread_current() != nil else { throw .outOfMemory }
        guard let place = peal_directory_find(number) else {
            throw fail(.unknownMethod, number, arguments, count)
        }
        guard let hold = peal_hazard_protect_slow(place, UInt(mark)) else {
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
            let hold = try hold(number, arguments, count)
            if !request.forcesFFI, request.gathering == nil, !request.isOfLoop,
                let outcome = withUnsafePointer(to: request, {
                    ResultBroadcast.send(hold, arguments, count, request.result, $0, calls, number)
                })
            {
                return outcome
            }
            return GeneralBroadcast(hold: hold, number: number, arguments: arguments, count: count)
                .runAndRelease(request, calls: calls, runsDeferred: runsDeferred)
        } catch {
            return error
        }
    }
}

/// What a broadcast returns to its caller: an outcome, or what the caller's interface makes of one.
///
/// The dispatcher is generic over it, so that each caller gets its own type in a register and the calls between the
/// steps of a broadcast are jumps.
public protocol BroadcastAnswer {
    /// The broadcast has called its observers.
    static var done: Self { get }
    /// Makes an answer of any other outcome. The fast paths never call it.
    init(_ outcome: Broadcast.Outcome)
}

extension Broadcast.Outcome: BroadcastAnswer {
    public init(_ outcome: Broadcast.Outcome) { self = outcome }
}
