/// A method, and the response of an observer to its calls.
@usableFromInline
struct MethodResponse: Sendable {
    let signature: MethodSignature
    let response: Response
}

/// The functions of an observer of a whole protocol. The closure that describes an observer fills it:
///
///     let observation = try center.observe(Chat.self) {
///         $0.on(Chat.onMessage) { room, count in … }
///         $0.on(Chat.mayClose) { true }
///     }
public struct ObserverMethods: Sendable {
    @usableFromInline private(set) var entries: [MethodResponse] = []

    init() {}

    /// Implements a method without a result.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol, or of an adopted one; each at most once.
    ///   - body: Runs on the broadcasting thread, or on the observer's queue; kept until the observation has ended and
    ///     its last call has returned.
    @inlinable
    public mutating func on<Owner, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>,
        _ body: @escaping @Sendable (repeat each Parameter) -> Void
    ) {
        add(method.signature, Responses.make(body))
    }

    /// Implements a method with a result.
    ///
    /// - Parameters:
    ///   - method: As for a method without a result.
    ///   - body: Returns the result. With a queue no broadcaster waits for it; ``BoundMethod/gather(_:timeout:from:except:)``
    ///     returns it.
    @inlinable
    public mutating func on<Owner, Result: PealAnswer, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>,
        _ body: @escaping @Sendable (repeat each Parameter) -> Result.Answer
    ) where Result.Answer: PealResult {
        add(method.signature, Responses.make(body))
    }

    /// Implements a method with a status by a closure that may throw.
    ///
    /// - Parameters:
    ///   - method: As for a method without a result.
    ///   - body: Returns for ``Status/ok``. An error becomes its status: ``StatusError``.
    @inlinable
    public mutating func on<Owner, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Status, repeat each Parameter>,
        _ body: @escaping @Sendable (repeat each Parameter) throws -> Void
    ) {
        add(method.signature, Responses.makeThrowing(body))
    }

    /// Refuses a result that an observer cannot return, such as an optional number.
    @available(
        *, unavailable,
        message:
            "an observer cannot return this type: declare the result as a number, a Bool, an enum, a String, a struct or a pointer"
    )
    public mutating func on<Owner, Result: PealAnswer, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>,
        _ body: @escaping @Sendable (repeat each Parameter) -> Result.Answer
    ) {}

    /// Refuses an error that no broadcaster could receive.
    @available(*, unavailable, message: "no broadcaster receives the error: declare the method's result as Status")
    public mutating func on<Owner, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>,
        _ body: @escaping @Sendable (repeat each Parameter) throws -> Void
    ) {}

    @usableFromInline
    mutating func add(_ signature: MethodSignature, _ response: Response) {
        entries.append(MethodResponse(signature: signature, response: response))
    }
}

/// The functions of an object for the methods of a protocol that it observes. The closure that describes the observer
/// fills it with closures that get the object:
///
///     try center.observe(Chat.self, for: window) {
///         $0.on(Chat.onMessage) { window, room, count in window.show(room, count) }
///         $0.on(Chat.mayClose) { window in !window.isEdited }
///     }
public struct ObjectMethods<Object: AnyObject & Sendable>: Sendable {
    @usableFromInline private(set) var entries: [MethodResponse] = []
    @usableFromInline let called: CalledObject<Object>

    init(_ object: Object) { called = CalledObject(object) }

    /// Implements a method without a result.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol, or of an adopted one; each at most once.
    ///   - body: Gets the object, alive, and the arguments. Runs on the broadcasting thread, or on the observer's
    ///     queue.
    @inlinable
    public mutating func on<Owner, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>,
        _ body: @escaping @Sendable (Object, repeat each Parameter) -> Void
    ) {
        add(method.signature, called.response { body($0, repeat $1.read((each Parameter).self)) })
    }

    /// Implements a method with a result.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol, or of an adopted one; each at most once.
    ///   - body: Receives the object, alive, and the arguments, and returns the result.
    @inlinable
    public mutating func on<Owner, Result: PealAnswer, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>,
        _ body: @escaping @Sendable (Object, repeat each Parameter) -> Result.Answer
    ) where Result.Answer: PealResult {
        add(method.signature, called.response { body($0, repeat $1.read((each Parameter).self)) })
    }

    /// Implements a method with a status by a closure that may throw.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol, or of an adopted one; each at most once.
    ///   - body: Receives the object, alive, and the arguments. Returns for ``Status/ok``. An error becomes its status:
    ///     ``StatusError``.
    @inlinable
    public mutating func on<Owner, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Status, repeat each Parameter>,
        _ body: @escaping @Sendable (Object, repeat each Parameter) throws -> Void
    ) {
        add(
            method.signature,
            called.response { object, arguments -> Status in
                Status.catching { try body(object, repeat arguments.read((each Parameter).self)) }
            })
    }

    /// Refuses an error that no broadcaster could receive.
    @available(*, unavailable, message: "no broadcaster receives the error: declare the method's result as Status")
    public mutating func on<Owner, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>,
        _ body: @escaping @Sendable (Object, repeat each Parameter) throws -> Void
    ) {}

    /// Refuses `Window.show`: Swift converts it to a function without the isolation of its class, and it would run on
    /// any thread.
    @available(*, unavailable, message: "pass a closure that calls the method: { $0.show($1) }")
    public mutating func on<Owner, Result, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>,
        _ body: @escaping @Sendable (Object) -> (repeat each Parameter) -> Result
    ) {}

    @usableFromInline
    mutating func add(_ signature: MethodSignature, _ response: Response) {
        entries.append(MethodResponse(signature: signature, response: response))
    }
}
