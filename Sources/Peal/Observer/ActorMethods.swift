/// The functions of an actor for the methods of a protocol that it observes. The closure that describes the observer
/// fills it with closures that are isolated to the actor:
///
///     let observation = try center.observe(Chat.self, on: log) {
///         $0.on(Chat.onMessage) { (log: isolated Log, room, count) in log.add(room, count) }
///     }
///
/// The results of methods are too late for a broadcast; ``BoundMethod/gather(_:timeout:from:except:)`` returns them.
public struct ActorMethods<Isolation: Actor>: Sendable {
    private(set) var entries: [MethodResponse] = []
    private let called: CalledObject<Isolation>

    init(_ actor: Isolation) { called = CalledObject(actor) }

    /// Implements a method without a result.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol, or of an adopted one; each at most once.
    ///   - body: Receives the actor and the arguments. Its first parameter must be declared `isolated`.
    public mutating func on<Owner, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>,
        _ body: @escaping @Sendable (isolated Isolation, repeat each Parameter) -> Void
    ) {
        add(method.signature, called.isolated(body))
    }

    /// Implements a method without a result by an asynchronous closure. Each call is a task, which begins on the actor
    /// in the order of the broadcasts.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol, or of an adopted one; each at most once.
    ///   - body: Receives the actor and the arguments. Its first parameter must be declared `isolated`.
    public mutating func on<Owner, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>,
        _ body: @escaping @Sendable (isolated Isolation, repeat each Parameter) async -> Void
    ) {
        add(method.signature, called.suspending(body))
    }

    /// Implements a method with a result.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol, or of an adopted one; each at most once.
    ///   - body: Receives the actor and the arguments, and returns the result.
    public mutating func on<Owner, Result: PealAnswer, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>,
        _ body: @escaping @Sendable (isolated Isolation, repeat each Parameter) -> Result.Answer
    ) where Result.Answer: PealResult & Sendable {
        add(method.signature, called.isolated(body))
    }

    /// Implements a method with a status by a closure that may throw.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol, or of an adopted one; each at most once.
    ///   - body: Receives the actor and the arguments. Returns for ``Status/ok``. An error becomes its status:
    ///     ``StatusError``.
    public mutating func on<Owner, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Status, repeat each Parameter>,
        _ body: @escaping @Sendable (isolated Isolation, repeat each Parameter) throws -> Void
    ) {
        add(method.signature, called.throwing(body))
    }

    private mutating func add(_ signature: MethodSignature, _ response: Response) {
        entries.append(MethodResponse(signature: signature, response: response))
    }
}

extension CalledObject where Object: Actor {
    /// A response of the actor, for a call on it.
    func isolated<Result: PealResult & Sendable, each Parameter: PealParameter & Sendable>(
        _ body: @escaping @Sendable (isolated Object, repeat each Parameter) -> Result
    ) -> Response {
        Responses.decoding { arguments -> Result in
            let values = (repeat arguments.read((each Parameter).self))
            return borrow { $0.assumeIsolated { body($0, repeat each values) } }
        }
    }

    /// A response of the actor without a result, for a call on it.
    func isolated<each Parameter: PealParameter & Sendable>(
        _ body: @escaping @Sendable (isolated Object, repeat each Parameter) -> Void
    ) -> Response {
        Responses.decoding { arguments in
            let values = (repeat arguments.read((each Parameter).self))
            borrow { $0.assumeIsolated { body($0, repeat each values) } }
        }
    }

    /// A response of the actor that returns the status of a thrown error.
    func throwing<each Parameter: PealParameter & Sendable>(
        _ body: @escaping @Sendable (isolated Object, repeat each Parameter) throws -> Void
    ) -> Response {
        isolated { (actor: isolated Object, values: repeat each Parameter) -> Status in
            Status.catching(isQueued: true) { try body(actor, repeat each values) }
        }
    }

    /// A response of the actor that may suspend. The queue runs on the actor, so the task begins within the call.
    func suspending<each Parameter: PealParameter & Sendable>(
        _ body: @escaping @Sendable (isolated Object, repeat each Parameter) async -> Void
    ) -> Response {
        isolated { (actor: isolated Object, values: repeat each Parameter) in
            _ = Task.immediate { await body(actor, repeat each values) }
        }
    }
}
