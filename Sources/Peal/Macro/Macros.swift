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
/// The macro makes two types beside the protocol, with its access: `ChatMethods`, a ``PealProtocol`` with a declaration
/// for each method, and `ChatCenter`, which sends the methods and registers objects. <doc:Protocols-By-Macro>
/// describes both.
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
///   - sticky: The calls that are kept for later observers, of a method without a result; `nil` for none.
@attached(peer)
public macro PealMethod(
    _ name: String? = nil, parameters: String..., policy: SinglePolicy? = nil, isRequired: Bool = false,
    since: UInt32 = 1,
    recursion: Recursion = .recursive, isBorrowed: Bool = false, sticky: Sticky? = nil
) = #externalMacro(module: "PealMacros", type: "PealMethodMacro")
#endif

/// The default name of a protocol. The code that `@PealProtocol` makes uses it.
public enum ProtocolName {
    /// The type's name with its module and its enclosing types, as in `App::Chat`.
    ///
    /// - Parameter type: The Swift protocol.
    /// - Returns: A key for ``PealProtocol/name``.
    ///
    /// Thread rule: any thread.
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
    /// Thread rule: any thread. The C interface's `peal_observe_handler` with a `struct peal_weak_type`.
    @discardableResult
    public func observe<Observed: PealProtocol, Object: AnyObject & Sendable>(
        _ type: Observed.Type, for object: Object, options: [ObserverOption],
        methods: (inout ObjectMethods<Object>) -> Void
    ) throws(PealError) -> ObserverToken {
        var list = ObjectMethods(object)
        methods(&list)
        return try register(object, list.entries, of: type, options).keep()
    }

    /// Observes a protocol by an actor as by an object: once, until the actor has ended. The options are in an array. The
    /// code that `@PealProtocol` makes uses it.
    ///
    /// - Parameters:
    ///   - type: The protocol.
    ///   - actor: A weak target, which runs the closures later, in the order of the broadcasts.
    ///   - options: Options of the observer, without a queue.
    ///   - methods: Runs once, before this returns.
    /// - Returns: The observation, which stays when the result is dropped.
    /// - Throws: As ``observe(_:on:_:methods:)``.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    @discardableResult
    public func observe<Observed: PealProtocol, Isolation: Actor>(
        _ type: Observed.Type, forActor actor: Isolation, options: [ObserverOption],
        methods: (inout ActorMethods<Isolation>) -> Void
    ) throws(PealError) -> ObserverToken {
        var list = ActorMethods(actor)
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
        methods: (inout MainActorMethods<Object>) -> Void
    ) throws(PealError) -> ObserverToken {
        var list = MainActorMethods(object)
        methods(&list)
        // Unsafe: the object is only used on the main actor. Other threads count its references, which is safe.
        let target = unsafeBitCast(object as AnyObject, to: (any AnyObject & Sendable).self)
        return try register(target, list.entries, of: type, options + [.on(try ActorQueues.queue(of: actor))]).keep()
    }
}
