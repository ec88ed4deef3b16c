/// The functions of an actor for the methods of a protocol that it observes. The closure that describes the observer
/// fills it with closures that are isolated to the actor:
///
///     let observation = try center.observe(Chat.self, on: log) {
///         $0.on(Chat.onMessage) { (log: isolated Log, room, count) in log.add(room, count) }
///     }
///
/// The results of methods are too late for a broadcast; ``BoundMethod/gather(_:timeout:)`` returns them.
public struct ActorMethods<Isolation: Actor>: Sendable {
    private(set) var entries: [(signature: MethodSignature, response: ObjectResponse)] = []

    init() {}

    /// Implements a method without a result.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol, or of an adopted one; each at most once.
    ///   - body: Receives the actor and the arguments. Its first parameter must be declared `isolated`.
    public mutating func on<Owner, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>,
        _ body: @escaping @Sendable (isolated Isolation, repeat each Parameter) -> Void
    ) {
        entries.append((method.signature, ObjectResponses.isolated(body)))
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
        entries.append((method.signature, ObjectResponses.suspending(body)))
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
        entries.append((method.signature, ObjectResponses.isolated(body)))
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
        entries.append((method.signature, ObjectResponses.throwing(body)))
    }
}

/// The functions of an object for the methods of a protocol that it observes on the main actor. The closure that
/// describes the observer fills it:
///
///     try center.observe(Chat.self, for: window, on: MainActor.shared) {
///         $0.on(Chat.onMessage) { window, room, count in window.show(room, count) }
///     }
///
/// The results of methods are too late for a broadcast; ``BoundMethod/gather(_:timeout:)`` returns them.
public struct MainActorMethods<Object: AnyObject & Sendable>: Sendable {
    private(set) var entries: [(signature: MethodSignature, response: ObjectResponse)] = []

    init() {}

    /// Implements a method without a result.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol, or of an adopted one; each at most once.
    ///   - body: Receives the object, alive, and the arguments, on the main actor.
    public mutating func on<Owner, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>,
        _ body: @escaping @MainActor @Sendable (Object, repeat each Parameter) -> Void
    ) {
        let response = ObjectResponses.make { (object: Object, arguments: inout CallArguments) in
            let values = (repeat arguments.read((each Parameter).self))
            MainActor.assumeIsolated { body(object, repeat each values) }
        }
        entries.append((method.signature, response))
    }

    /// Implements a method without a result by an asynchronous closure. Each call is a task, which begins on the main
    /// actor in the order of the broadcasts.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol, or of an adopted one; each at most once.
    ///   - body: Receives the object, which the call keeps, and the arguments, on the main actor.
    public mutating func on<Owner, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>,
        _ body: @escaping @MainActor @Sendable (Object, repeat each Parameter) async -> Void
    ) {
        let response = ObjectResponses.make { (object: Object, arguments: inout CallArguments) in
            let values = (repeat arguments.read((each Parameter).self))
            MainActor.assumeIsolated { _ = Task.immediate { @MainActor in await body(object, repeat each values) } }
        }
        entries.append((method.signature, response))
    }

    /// Implements a method with a result.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol, or of an adopted one; each at most once.
    ///   - body: Receives the object, alive, and the arguments, on the main actor, and returns the result.
    public mutating func on<Owner, Result: PealAnswer, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>,
        _ body: @escaping @MainActor @Sendable (Object, repeat each Parameter) -> Result.Answer
    ) where Result.Answer: PealResult & Sendable {
        let response = ObjectResponses.make { (object: Object, arguments: inout CallArguments) -> Result.Answer in
            let values = (repeat arguments.read((each Parameter).self))
            return MainActor.assumeIsolated { body(object, repeat each values) }
        }
        entries.append((method.signature, response))
    }

    /// Implements a method with a status by a closure that may throw.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol, or of an adopted one; each at most once.
    ///   - body: Receives the object, alive, and the arguments, on the main actor. Returns for ``Status/ok``. An error
    ///     becomes its status: ``StatusError``.
    public mutating func on<Owner, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Status, repeat each Parameter>,
        _ body: @escaping @MainActor @Sendable (Object, repeat each Parameter) throws -> Void
    ) {
        let response = ObjectResponses.make { (object: Object, arguments: inout CallArguments) -> Status in
            let values = (repeat arguments.read((each Parameter).self))
            return MainActor.assumeIsolated {
                Status.catching(isQueued: true) { try body(object, repeat each values) }
            }
        }
        entries.append((method.signature, response))
    }

    /// Refuses `Window.show`, as ``ObjectMethods`` does.
    @available(*, unavailable, message: "pass a closure that calls the method: { $0.show($1) }")
    public mutating func on<Owner, Result, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>,
        _ body: @escaping @Sendable (Object) -> (repeat each Parameter) -> Result
    ) {}
}

extension ObjectResponses {
    /// A response of an actor, for a call on it.
    static func isolated<Isolation: Actor, Result: PealResult & Sendable, each Parameter: PealParameter & Sendable>(
        _ body: @escaping @Sendable (isolated Isolation, repeat each Parameter) -> Result
    ) -> ObjectResponse {
        make { (actor: Isolation, arguments: inout CallArguments) -> Result in
            let values = (repeat arguments.read((each Parameter).self))
            return actor.assumeIsolated { body($0, repeat each values) }
        }
    }

    /// A response of an actor that returns the status of a thrown error.
    static func throwing<Isolation: Actor, each Parameter: PealParameter & Sendable>(
        _ body: @escaping @Sendable (isolated Isolation, repeat each Parameter) throws -> Void
    ) -> ObjectResponse {
        make { (actor: Isolation, arguments: inout CallArguments) -> Status in
            let values = (repeat arguments.read((each Parameter).self))
            return actor.assumeIsolated { actor in
                Status.catching(isQueued: true) { try body(actor, repeat each values) }
            }
        }
    }

    /// A response of an actor that may suspend. The queue runs on the actor, so the task begins within the call.
    static func suspending<Isolation: Actor, each Parameter: PealParameter & Sendable>(
        _ body: @escaping @Sendable (isolated Isolation, repeat each Parameter) async -> Void
    ) -> ObjectResponse {
        make { (actor: Isolation, arguments: inout CallArguments) in
            let values = (repeat arguments.read((each Parameter).self))
            actor.assumeIsolated { (actor: isolated Isolation) in
                _ = Task.immediate { await body(actor, repeat each values) }
            }
        }
    }

    /// A response of an actor without a result, for a call on it.
    static func isolated<Isolation: Actor, each Parameter: PealParameter & Sendable>(
        _ body: @escaping @Sendable (isolated Isolation, repeat each Parameter) -> Void
    ) -> ObjectResponse {
        make { (actor: Isolation, arguments: inout CallArguments) in
            let values = (repeat arguments.read((each Parameter).self))
            actor.assumeIsolated { body($0, repeat each values) }
        }
    }
}
