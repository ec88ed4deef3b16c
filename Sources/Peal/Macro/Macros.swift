#if Macros
/// Declares a peal protocol by a Swift protocol.
///
///     @PealProtocol("Chat")
///     protocol Chat {
///         func onMessage(room: String, text: String)
///         @PealMethod(policy: .every) func mayEnter(who: String) -> Bool
///     }
///
///     let chat = try ChatCenter()
///     try chat.observe(window)
///     try chat.onMessage(room: "Eve", text: "hello")
///
/// It makes two types beside the protocol, with its access: `ChatMethods`, a ``PealProtocol`` with a declaration for
/// each method, and `ChatCenter`, which sends the methods and registers objects. <doc:Protocols-By-Macro> describes
/// both.
///
/// - Parameter name: The key in the center, for a protocol that is shared with C or other modules. Without it, the
///   type's name with its module and its enclosing types.
@attached(peer, names: suffixed(Methods), suffixed(Center))
public macro PealProtocol(_ name: String? = nil) = #externalMacro(module: "PealMacros", type: "PealProtocolMacro")

/// Options of a method in a protocol that has `@PealProtocol`. They are those of ``PealMethod``.
///
/// - Parameters:
///   - name: The name in C. Without it, `on_message` for `onMessage`.
///   - parameters: The parameters' names in C, or their whole C declarations. Without them, the names in Swift.
///   - policy: The rule that makes one result of the observers' results. Without it, the broadcaster gets them all in
///     an array.
///   - isRequired: True if an observer without it is refused.
///   - since: The first version of the protocol that has it.
///   - recursion: The effect of a broadcast inside a callback of the same method.
///   - isBorrowed: The broadcasters promise that bare pointers outlive a captured call.
@attached(peer)
public macro PealMethod(
    _ name: String? = nil, parameters: String..., policy: SinglePolicy? = nil, isRequired: Bool = false,
    since: UInt32 = 1,
    recursion: Recursion = .recursive, isBorrowed: Bool = false
) = #externalMacro(module: "PealMacros", type: "PealMethodMacro")
#endif

/// The default name of a protocol. The code that `@PealProtocol` makes uses it.
public enum ProtocolName {
    /// The type's name with its module and its enclosing types, as in `App::Chat`.
    ///
    /// - Parameter type: The Swift protocol.
    /// - Returns: A key for ``PealProtocol/name``.
    ///
    /// Any thread.
    public static func of(_ type: Any.Type) -> String { TypeName.ofProtocol(type) }
}

extension Center {
    /// Observes a protocol by an object, with its options in an array. The code that `@PealProtocol` makes uses it.
    ///
    /// - Parameters:
    ///   - type: The protocol.
    ///   - object: A weak target: kept alive during each call only.
    ///   - options: Options of the observer.
    ///   - methods: Runs once, before this returns.
    /// - Returns: The observation, which stays when the result is dropped.
    /// - Throws: As ``observe(_:for:_:methods:)``.
    ///
    /// Any thread, also from a callback. The C interface's `peal_observe_handler` with a `struct peal_weak_type`.
    @discardableResult
    public func observe<Observed: PealProtocol, Object: AnyObject & Sendable>(
        _ type: Observed.Type, for object: Object, options: [ObserverOption],
        methods: (inout ObjectMethods<Object>) -> Void
    ) throws(PealError) -> ObserverToken {
        var list = ObjectMethods<Object>()
        methods(&list)
        return try register(object, list.entries, of: type, options).keep()
    }

    /// Observes a protocol by an actor, with the options in an array. The code that `@PealProtocol` makes uses it.
    ///
    /// - Parameters:
    ///   - type: The protocol.
    ///   - actor: A weak target, which runs the closures later, in the order of the broadcasts.
    ///   - options: Options of the observer, without a queue.
    ///   - methods: Runs once, before this returns.
    /// - Returns: The observation, which stays when the result is dropped.
    /// - Throws: As ``observe(_:on:_:methods:)``.
    ///
    /// Any thread, also from a callback. The C interface's `peal_observe_handler`.
    @discardableResult
    public func observe<Observed: PealProtocol, Isolation: Actor>(
        _ type: Observed.Type, on actor: Isolation, options: [ObserverOption],
        methods: (inout ActorMethods<Isolation>) -> Void
    ) throws(PealError) -> ObserverToken {
        var list = ActorMethods<Isolation>()
        methods(&list)
        return try register(actor, list.entries, of: type, options + [.on(try ActorQueues.queue(of: actor))]).keep()
    }

    /// Observes a protocol by an object on the main actor, with the options in an array. The code that `@PealProtocol`
    /// makes uses it.
    ///
    /// The object need not be `Sendable`, so that its conformance to the Swift protocol may be the main actor's own.
    ///
    /// - Parameters:
    ///   - type: The protocol.
    ///   - object: A weak target: kept alive during each call only.
    ///   - actor: `MainActor.shared`, which runs the closures later, in the order of the broadcasts.
    ///   - options: Options of the observer, without a queue.
    ///   - methods: Runs once, before this returns.
    /// - Returns: The observation, which stays when the result is dropped.
    /// - Throws: As ``observe(_:for:on:_:methods:)``.
    ///
    /// The main actor. The C interface's `peal_observe_handler` with a `struct peal_weak_type`.
    @MainActor @discardableResult
    public func observe<Observed: PealProtocol, Object: AnyObject>(
        _ type: Observed.Type, for object: Object, on actor: MainActor, options: [ObserverOption],
        methods: (inout MainActorObjectMethods) -> Void
    ) throws(PealError) -> ObserverToken {
        var list = MainActorObjectMethods()
        methods(&list)
        // Unsafe: the object is only used on the main actor. Other threads count its references, which is safe.
        let target = unsafeBitCast(object as AnyObject, to: (any AnyObject & Sendable).self)
        return try register(target, list.entries, of: type, options + [.on(try ActorQueues.queue(of: actor))]).keep()
    }
}

/// As ``MainActorMethods``, for an object that need not be `Sendable`. The code that `@PealProtocol` makes uses it.
public struct MainActorObjectMethods: Sendable {
    private(set) var entries: [(signature: MethodSignature, response: ObjectResponse)] = []

    init() {}

    /// Implements a method without a result.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol; each at most once.
    ///   - body: Receives the object, alive, and the arguments, on the main actor.
    public mutating func on<Owner, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>,
        _ body: @escaping @MainActor @Sendable (AnyObject, repeat each Parameter) -> Void
    ) {
        let response = ObjectResponse { object, arguments, _ in
            var arguments = CallArguments(arguments)
            let values = (repeat arguments.read((each Parameter).self))
            let object = CalledObject(address: object)
            MainActor.assumeIsolated { body(object.counted, repeat each values) }
        }
        entries.append((method.signature, response))
    }

    /// Implements a method without a result by an asynchronous closure. Each call is a task, which begins on the main
    /// actor in the order of the broadcasts.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol; each at most once.
    ///   - body: Receives the object, which the call keeps, and the arguments, on the main actor.
    public mutating func on<Owner, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>,
        _ body: @escaping @MainActor @Sendable (AnyObject, repeat each Parameter) async -> Void
    ) {
        let response = ObjectResponse { object, arguments, _ in
            var arguments = CallArguments(arguments)
            let values = (repeat arguments.read((each Parameter).self))
            let object = CalledObject(address: object)
            MainActor.assumeIsolated {
                let object = object.counted
                _ = Task.immediate { @MainActor in await body(object, repeat each values) }
            }
        }
        entries.append((method.signature, response))
    }

    /// Implements a method with a result.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol; each at most once.
    ///   - body: Receives the object, alive, and the arguments, on the main actor, and returns the result.
    public mutating func on<Owner, Result: PealAnswer, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>,
        _ body: @escaping @MainActor @Sendable (AnyObject, repeat each Parameter) -> Result.Answer
    ) where Result.Answer: PealResult & Sendable {
        let response = ObjectResponse { object, arguments, place in
            var arguments = CallArguments(arguments)
            let values = (repeat arguments.read((each Parameter).self))
            let object = CalledObject(address: object)
            let result = MainActor.assumeIsolated { body(object.counted, repeat each values) }
            place?.storeBytes(of: result.cValue, as: Result.Answer.CValue.self)
        }
        entries.append((method.signature, response))
    }

    /// Implements a method with a status by a closure that may throw.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol; each at most once.
    ///   - body: Receives the object, alive, and the arguments, on the main actor. An error becomes its status.
    public mutating func on<Owner, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Status, repeat each Parameter>,
        _ body: @escaping @MainActor @Sendable (AnyObject, repeat each Parameter) throws -> Void
    ) {
        let response = ObjectResponse { object, arguments, place in
            var arguments = CallArguments(arguments)
            let values = (repeat arguments.read((each Parameter).self))
            let object = CalledObject(address: object)
            let status = MainActor.assumeIsolated {
                Status.catching(isQueued: true) { try body(object.counted, repeat each values) }
            }
            place?.storeBytes(of: status.cValue, as: Int32.self)
        }
        entries.append((method.signature, response))
    }
}

/// Passes an object that the call keeps alive to the main actor. Unchecked: the object is only used there.
private struct CalledObject: @unchecked Sendable {
    let address: UnsafeMutableRawPointer

    var counted: AnyObject { Box.object(address, as: AnyObject.self) }
}
