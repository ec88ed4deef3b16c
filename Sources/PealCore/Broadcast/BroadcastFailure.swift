internal import CPealSupport
import PealCall

/// Makes the sentence of a failed broadcast. It is built afterwards, so that the path of a broadcast contains no texts.
public enum BroadcastFailure {
    /// The failure of an outcome of the calling thread's last broadcast, or nil without one.
    ///
    /// Call it before anything else, while the arguments are still valid.
    ///
    /// - Parameter policy: The caller's policy, if any.
    public static func last(_ outcome: Broadcast.Outcome, policy: BroadcastPolicy? = nil) -> Failure? {
        guard outcome.isFailure else { return nil }
        guard outcome != .outOfMemory, let engine = peal_thread_own_engine() else { return .outOfMemory }
        let id = engine.pointee.failed_method
        let count = engine.pointee.failed_count
        let arguments = engine.pointee.failed_arguments?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        let method = Handles.methods.find(id)
        let title = title(method)
        switch outcome {
        case .done, .deferred, .truncated, .rejected:
            return nil
        case .unknownMethod:
            return Failure(
                .handle,
                "the method's handle is invalid: zero, never created, or of a center that has ended; find it with peal_method_find"
            )
        case .wrongArgumentCount:
            return argumentCount(method, given: count)
        case .nullArgument:
            return nullArgument(method, arguments)
        case .noResult:
            return Failure(
                .policy,
                "\(title) returns void, and a result was requested; pass NULL as out_result, or use peal_broadcast")
        case .wrongPolicy:
            // Without a requested policy it is the method's own, which may be a chain without a fitting parameter.
            let requested = policy ?? method.map { BroadcastPolicy($0.declaration.policy) }
            let name = requested.map { $0.name } ?? "of the method"
            return Failure(.policy, "\(title): the policy \(name) does not fit: \(reason(requested, method))")
        case .missingFold:
            return Failure(
                .argument, "\(title): the policy fold needs a function; give one in the options of peal_send_with")
        case .wrongCollection:
            return Failure(
                .argument,
                "\(title): the policy collect needs a struct peal_collection as the result, with its size set and room for `capacity` results"
            )
        case .tooDeep:
            return Failure(
                .depth,
                "\(title): broadcasts are nested \(PEAL_THREAD_DEPTH) deep on this thread; end the recursion of the callback that broadcasts its own method, or declare the method with defer"
            )
        case .recursionRejected:
            return Failure(
                .recursion,
                "\(title) is being broadcast on this thread already, and rejects recursion; broadcast it after its callback has returned, or remove the option reject"
            )
        case .deferralLimit:
            return Failure(
                .limit,
                "\(title): \(Deferral.limit) deferred calls wait on this thread; end the recursion of the callback that always broadcasts its own method"
            )
        case .captureFailed:
            return Failure(
                .memory,
                "\(title): an argument could not be captured: the copy function of its type returned NULL, or the type was removed"
            )
        case .staleCompletion:
            return Failure(
                .handle,
                "\(title): the completion is invalid, has ended, or was passed to another broadcast; create one for each broadcast, or pass zero"
            )
        case .needsTokens:
            return Failure(
                .state,
                "\(title) has a completion, and each observer needs a token of its own; use PEAL_BROADCAST or peal_send"
            )
        case .notKept:
            return Failure(
                .state,
                "\(title) is sticky, and a loop of the caller has no arguments that could be kept; use PEAL_BROADCAST or peal_send"
            )
        case .notRecordable:
            return Failure(
                .state,
                "\(title): an observer has a queue, and this system forbids the code that a typed loop would need to reach it; broadcast by peal_send"
            )
        case .outOfMemory:
            return .outOfMemory
        }
    }

    static func argumentCount(_ method: Method?, given count: Int) -> Failure {
        let count = CallerSize.clamped(count)
        let parameters = method?.parameterCount ?? 0
        let takes = parameters == 1 ? "1 argument" : "\(parameters) arguments"
        let given = count == 1 ? "1 was" : "\(count) were"
        return Failure(.argumentCount, "\(title(method)) takes \(takes), but \(given) given")
    }

    static func nullArgument(_ method: Method?, _ arguments: Broadcast.Arguments?) -> Failure {
        let title = title(method)
        guard let arguments else {
            return Failure(.argument, "\(title): the array of arguments is NULL; give one pointer for each parameter")
        }
        let parameters = method?.declaration.signature.parameters ?? []
        guard let index = parameters.indices.first(where: { arguments[$0] == nil }) else {
            guard let forbidden = method?.forbiddenNull(in: arguments) else {
                return Failure(.argument, "\(title): a pointer to an argument is NULL")
            }
            return Failure(
                .argument,
                "\(title): \(parameters[forbidden].title(at: forbidden)) is NULL, and its declaration has _Nonnull; pass a pointer, or declare it with _Nullable"
            )
        }
        let name = parameters[index].name.map { " \($0)" } ?? ""
        return Failure(
            .argument,
            "\(title): the pointer to argument \(index + 1)\(name) is NULL; point to a value, also to pass a null pointer"
        )
    }

    private static func title(_ method: Method?) -> String {
        method?.title ?? "the method"
    }

    private static func reason(_ policy: BroadcastPolicy?, _ method: Method?) -> String {
        let result = method.map { "\($0.declaration.signature.result)" } ?? "its result"
        return switch policy {
        case .firstTrue, .any, .every: "it needs a bool or an integer, and the result is \(result)"
        case .sum, .min, .max: "it needs a real number, and the result is \(result)"
        case .firstNonzero: "it needs a real number or a pointer, and the result is \(result)"
        case .chain: "no parameter has the type of the result, \(result)"
        case .all, .last, .collect, .fold, nil: "the result is \(result)"
        }
    }
}
