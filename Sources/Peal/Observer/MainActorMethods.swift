/// The functions of an object for the methods of a protocol that it observes on the main actor. The closure that
/// describes the observer fills it:
///
///     try center.observe(Chat.self, for: window, on: MainActor.shared) {
///         $0.on(Chat.onMessage) { window, room, count in window.show(room, count) }
///     }
///
/// The results of methods are too late for a broadcast; ``BoundMethod/gather(_:timeout:from:except:)`` returns them.
public struct MainActorMethods<Object: AnyObject>: Sendable {
    private(set) var entries: [MethodResponse] = []
    private let called: CalledObject<Object>

    init(_ object: Object) { called = CalledObject(object) }

    /// Implements a method without a result.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol, or of an adopted one; each at most once.
    ///   - body: Receives the object, alive, and the arguments, on the main actor.
    public mutating func on<Owner, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>,
        _ body: @escaping @MainActor @Sendable (Object, repeat each Parameter) -> Void
    ) {
        let called = called
        add(
            method.signature,
            Responses.onMain { (values: repeat each Parameter) in
                called.borrow { body($0, repeat each values) }
            })
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
        let called = called
        add(
            method.signature,
            Responses.onMain { (values: repeat each Parameter) in
                let object = called.strong
                _ = Task.immediate { @MainActor in await body(object, repeat each values) }
            })
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
        let called = called
        add(
            method.signature,
            Responses.onMain { (values: repeat each Parameter) -> Result.Answer in
                called.borrow { body($0, repeat each values) }
            })
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
        let called = called
        add(
            method.signature,
            Responses.onMain { (values: repeat each Parameter) -> Status in
                called.borrow { object in
                    Status.catching(isQueued: true) { try body(object, repeat each values) }
                }
            })
    }

    /// Refuses `Window.show`, as ``ObjectMethods`` does.
    @available(*, unavailable, message: "pass a closure that calls the method: { $0.show($1) }")
    public mutating func on<Owner, Result, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>,
        _ body: @escaping @Sendable (Object) -> (repeat each Parameter) -> Result
    ) {}

    private mutating func add(_ signature: MethodSignature, _ response: Response) {
        entries.append(MethodResponse(signature: signature, response: response))
    }
}

extension Responses {
    /// A response on the main actor, which the queue of the calls runs on.
    static func onMain<each Parameter: PealParameter & Sendable>(
        _ body: @escaping @MainActor @Sendable (repeat each Parameter) -> Void
    ) -> Response {
        decoding { arguments in
            let values = (repeat arguments.read((each Parameter).self))
            MainActor.assumeIsolated { body(repeat each values) }
        }
    }

    /// A response on the main actor with a result.
    static func onMain<Result: PealResult & Sendable, each Parameter: PealParameter & Sendable>(
        _ body: @escaping @MainActor @Sendable (repeat each Parameter) -> Result
    ) -> Response {
        decoding { arguments -> Result in
            let values = (repeat arguments.read((each Parameter).self))
            return MainActor.assumeIsolated { body(repeat each values) }
        }
    }
}
