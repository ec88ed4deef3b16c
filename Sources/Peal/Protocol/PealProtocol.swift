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

/// A method: its name, and the types of its result and its parameters.
///
/// Write it as `Method<Void, String, Int32>` inside its ``PealProtocol``. It is a declaration, which belongs to no
/// center; any number of centers can define it.
public struct PealMethod<Owner: PealProtocol, Result, each Parameter: PealParameter>: MethodDeclaration {
    /// The declaration.
    public let signature: MethodSignature

    /// Declares a method without a result.
    ///
    /// - Parameters:
    ///   - name: The name in C.
    ///   - parameters: The parameters' names, for messages and for readers; or their whole C declarations, if
    ///     the Swift type is not enough: `"const float *__counted_by(n) samples", "size_t n"`.
    ///   - isRequired: True if an observer without it is refused.
    ///   - since: The first version of the protocol that has it.
    ///   - recursion: The effect of a broadcast inside a callback of the same method.
    ///   - isBorrowed: The broadcasters promise that bare pointers outlive a captured call.
    ///   - sticky: The calls that are kept for later observers; `nil` for none.
    public init(
        _ name: String, parameters: String..., isRequired: Bool = false, since: UInt32 = 1,
        recursion: Recursion = .recursive, isBorrowed: Bool = false, sticky: Sticky? = nil
    ) where Result == Void {
        var types = MethodTypes(result: nil)
        _ = (repeat types.append((each Parameter).self))
        signature = MethodSignature(
            Self.self, of: Owner.self, name, types, parameters: parameters, isRequired: isRequired, since: since,
            recursion: recursion,
            isBorrowed: isBorrowed, policy: nil, sticky: sticky)
    }

    /// Declares a method with a result and a policy. The policy makes one result of the observers' results.
    ///
    /// - Parameters:
    ///   - name: The name in C.
    ///   - parameters: The parameters' names, or their whole C declarations.
    ///   - policy: The rule that makes one result of the observers' results. It is compared with that of a protocol
    ///     that is defined already.
    ///   - isRequired: True if an observer without it is refused.
    ///   - since: The first version of the protocol that has it.
    ///   - recursion: The effect of a broadcast inside a callback of the same method.
    ///   - isBorrowed: The broadcasters promise that bare pointers outlive a captured call.
    public init(
        _ name: String, parameters: String..., policy: SinglePolicy, isRequired: Bool = false, since: UInt32 = 1,
        recursion: Recursion = .recursive, isBorrowed: Bool = false
    ) where Result: PealValue {
        var types = MethodTypes(result: ValueType(Result.self))
        _ = (repeat types.append((each Parameter).self))
        signature = MethodSignature(
            Self.self, of: Owner.self, name, types, parameters: parameters, isRequired: isRequired, since: since,
            recursion: recursion,
            isBorrowed: isBorrowed, policy: policy.policy)
    }

    /// Declares a method whose broadcasters get the result of each observer. A policy in C's definition is accepted.
    ///
    /// - Parameters:
    ///   - name: The name in C.
    ///   - parameters: The parameters' names, or their whole C declarations.
    ///   - isRequired: True if an observer without it is refused.
    ///   - since: The first version of the protocol that has it.
    ///   - recursion: The effect of a broadcast inside a callback of the same method.
    ///   - isBorrowed: The broadcasters promise that bare pointers outlive a captured call.
    public init<Answer: PealValue>(
        _ name: String, parameters: String..., isRequired: Bool = false, since: UInt32 = 1,
        recursion: Recursion = .recursive, isBorrowed: Bool = false
    ) where Result == Each<Answer> {
        var types = MethodTypes(result: ValueType(Answer.self))
        _ = (repeat types.append((each Parameter).self))
        signature = MethodSignature(
            Self.self, of: Owner.self, name, types, parameters: parameters, isRequired: isRequired, since: since,
            recursion: recursion,
            isBorrowed: isBorrowed, policy: nil)
    }

    /// Refuses a result without a policy: the broadcaster would get the result of an unspecified observer.
    @available(
        *, unavailable,
        message:
            "add a policy that makes one result of the observers' results, such as policy: .last, or declare Each<…>"
    )
    public init(
        _ name: String, parameters: String..., isRequired: Bool = false, since: UInt32 = 1,
        recursion: Recursion = .recursive, isBorrowed: Bool = false
    ) where Result: PealValue {
        self.init(
            name, policy: .last, isRequired: isRequired, since: since, recursion: recursion, isBorrowed: isBorrowed)
    }
}

/// The declaration of a method, without its generic types.
public final class MethodSignature: Sendable {
    /// The name in C.
    public let name: String
    /// The protocol that it belongs to.
    public let owner: any PealProtocol.Type
    /// The C declaration that defines it: `optional void on_message(const char *room, int32_t count)`.
    public let text: String
    let types: MethodTypes
    let policy: Policy?
    /// The location of the method's slot in each center's cache.
    @usableFromInline let location: MethodCache.Location
    /// True if a call can point to the arguments themselves.
    @usableFromInline let needsNoEncoding: Bool

    /// - Parameter declaration: The type of the declaration, which names the types of the method.
    init(
        _ declaration: any MethodDeclaration.Type, of owner: any PealProtocol.Type, _ name: String,
        _ types: MethodTypes,
        parameters: [String], isRequired: Bool, since: UInt32, recursion: Recursion, isBorrowed: Bool, policy: Policy?,
        sticky: Sticky? = nil
    ) {
        self.name = name
        self.owner = owner
        self.types = types
        self.policy = policy
        needsNoEncoding = types.needNoEncoding
        let options = [
            since == 1 ? nil : "since(\(since))", policy?.text, recursion.text, isBorrowed ? "borrowed" : nil,
            sticky?.text,
        ]
        let prototype = Self.prototype(name, types, parameters)
        text = (["\(isRequired ? "required" : "optional") \(prototype)"] + options.compactMap(\.self)).joined(
            separator: ", ")
        location = MethodCache.Location(serial: MethodSerials.number(of: declaration, text))
    }

    private static func prototype(_ name: String, _ types: MethodTypes, _ names: [String]) -> String {
        let result = types.result?.type.text ?? "void"
        var parameters = types.groups.enumerated().map { index, group in
            let given = index < names.count ? names[index] : ""
            // A name alone, or a whole declaration.
            guard given.allSatisfy(Declarations.isPartOfName) else { return given }
            let first = types.parameters[group.lowerBound].type
            if group.count == 1 { return declaration(first.text + first.mark, given) }
            let name = given.isEmpty ? "values\(index + 1)" : given
            return "\(first.text)__counted_by(\(name)_count) \(name), size_t \(name)_count"
        }
        // The definition of the method refuses an excess.
        parameters += names.dropFirst(types.groups.count)
        return declaration(result, name) + "(" + (parameters.isEmpty ? "void" : parameters.joined(separator: ", "))
            + ")"
    }

    private static func declaration(_ type: String, _ name: String) -> String {
        type.hasSuffix("*") || name.isEmpty ? type + name : "\(type) \(name)"
    }
}

/// A method of a protocol, whatever its types: an element of a protocol's list.
public protocol MethodDeclaration: Sendable {
    /// The declaration.
    var signature: MethodSignature { get }
}

/// The types of a method's result and parameters, read off its generic parameters.
struct MethodTypes: Sendable {
    /// `nil` for none.
    let result: ValueType?
    /// The parameters in C.
    private(set) var parameters: [ValueType] = []
    /// The range of C parameters for each Swift parameter.
    private(set) var groups: [Range<Int>] = []

    init(result: ValueType?) { self.result = result }

    mutating func append<Value: PealParameter>(_ value: Value.Type) {
        var list = ParameterTypes()
        Value.append(to: &list)
        groups.append(parameters.count..<parameters.count + list.types.count)
        parameters += list.types
    }

    /// True if a call can point to the arguments themselves.
    var needNoEncoding: Bool { parameters.allSatisfy(\.isItsOwnRepresentation) }

    var all: [ValueType] { parameters + (result.map { [$0] } ?? []) }
}
