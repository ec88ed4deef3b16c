/// A protocol of a center, declared once as a Swift type.
///
///     enum Chat: PealProtocol {
///         static let name = "Chat"
///         static let onMessage = Method<Void, String, Int32>("on_message", parameters: "room", "count")
///         static let mayClose = Method<Bool>("may_close", policy: .every)
///         static let methods: [any MethodDeclaration] = [onMessage, mayClose]
///     }
///
/// The name and the methods are the contract with all other parts, in any language. The
/// first use in a center defines the protocol there. If it is already defined, for example by C's list macro, each
/// method is checked against the C prototype; a difference is a ``PealError`` that names it.
///
/// `peal_protocol_define` in C.
public protocol PealProtocol: SendableMetatype {
    /// The key in the center. Name a protocol that is shared with C or with other modules: `static let name = "Chat"`.
    /// Unless given, it is the type's name with its module and its enclosing types, as in `App::Player::Events`.
    static var name: String { get }

    /// The methods, in the order of their addition. A protocol grows at the end, by methods with a greater `since`.
    static var methods: [any MethodDeclaration] { get }

    /// The protocols that this one adopts: it has their methods, and its observers conform to them.
    static var adopts: [any PealProtocol.Type] { get }
}

extension PealProtocol {
    /// The type's name with its module and its enclosing types.
    public static var name: String { TypeName.ofProtocol(Self.self) }

    /// None.
    public static var adopts: [any PealProtocol.Type] { [] }

    /// A method of this protocol: the result, then the parameters.
    public typealias Method<Result, each Parameter: PealParameter> = PealMethod<Self, Result, repeat each Parameter>
}
