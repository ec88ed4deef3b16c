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
    @usableFromInline let place: MethodCache.Place
    /// True if a call can point to the arguments themselves.
    @usableFromInline let isPlain: Bool

    init(
        _ owner: any PealProtocol.Type, _ name: String, _ types: MethodTypes, parameters: [String], isRequired: Bool,
        since: UInt32, recursion: Recursion, isBorrowed: Bool, policy: Policy?
    ) {
        self.name = name
        self.owner = owner
        self.types = types
        self.policy = policy
        isPlain = types.arePlain
        place = MethodCache.Place(serial: MethodSerials.number(of: owner, name))
        let options = [
            since == 1 ? nil : "since(\(since))", policy?.text, recursion.text, isBorrowed ? "borrowed" : nil,
        ]
        let prototype = Self.prototype(name, types, parameters)
        text = (["\(isRequired ? "required" : "optional") \(prototype)"] + options.compactMap(\.self)).joined(
            separator: ", ")
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
    var arePlain: Bool { parameters.allSatisfy(\.isItsOwnRepresentation) }

    var all: [ValueType] { parameters + (result.map { [$0] } ?? []) }
}
