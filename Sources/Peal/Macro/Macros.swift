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
