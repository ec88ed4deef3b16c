/// A method's name, its result and its parameters, as in a C prototype or an Objective-C encoding.
public struct Signature: Sendable {
    /// As the text has it; for an Objective-C method its selector.
    public let name: String
    public let parameters: [Parameter]
    public let result: CType
    /// The text's promise about a null result.
    let resultNullability: Qualifiers

    public init(name: String, result: CType, parameters: [Parameter], resultNullability: Qualifiers = []) {
        self.name = name
        self.result = result
        self.parameters = parameters
        self.resultNullability = resultNullability
    }

    /// Reads a prototype: `bool on_open_url(const char *url, int32_t flags)`. A final `;` may be left out.
    public init(_ prototype: String, in scope: TypeScope = TypeScope()) throws(SyntaxError) {
        var parser = DeclarationParser(prototype, scope: scope)
        self = try parser.parsePrototypeAlone()
    }

    /// Index of the first pointer without a rule: a copy of the call would only borrow it.
    public var firstBareParameter: Int? {
        parameters.firstIndex { $0.ownership == .bare }
    }
}

extension Signature: Equatable {
    public static func == (left: Signature, right: Signature) -> Bool {
        left.name == right.name && left.result == right.result && left.parameters == right.parameters
    }
}
