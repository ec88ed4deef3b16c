/// One method of a protocol: its signature, and what its author decided about calling it.
///
///     required bool keep(const char *line), first_true, since(2)
public struct MethodDeclaration: Sendable, Equatable {
    public enum Requirement: Sendable { case required, optional }

    /// The rule that makes one result of the observers' results.
    public enum Policy: Sendable, Equatable {
        case all, firstTrue, firstNonzero, last, sum, min, max, any, every, collect, fold
        /// Each result becomes the argument at this index of the next call.
        case chain(parameter: UInt8)

        /// The policy of a method that is declared without one.
        static func implied(by result: CType) -> Policy { result.isVoid ? .all : .last }
    }

    /// The effect of a call of the method from inside a call of the same method.
    public enum Recursion: Sendable { case recursive, `defer`, reject }

    /// The calls that are kept for later observers: the last one, or the last one for each value of a parameter.
    public enum Sticky: Sendable, Equatable {
        case one
        case each(parameter: UInt8)

        /// The parameter whose values have a call each.
        public var keyParameter: Int? { if case .each(let parameter) = self { Int(parameter) } else { nil } }
    }

    // Every method of every protocol has a declaration, so the members are in the order that needs the least memory.
    public let signature: Signature
    public let requirement: Requirement
    public let policy: Policy
    public let recursion: Recursion
    /// True if the method promises that bare pointers outlive a captured call.
    public let isBorrowed: Bool
    /// nil: no call is kept.
    public let sticky: Sticky?
    private let sinceVersion: UInt32

    init(
        requirement: Requirement, signature: Signature, policy: Policy, since: Int, recursion: Recursion,
        isBorrowed: Bool, sticky: Sticky?
    ) {
        self.requirement = requirement
        self.signature = signature
        self.policy = policy
        sinceVersion = UInt32(clamping: since)
        self.recursion = recursion
        self.isBorrowed = isBorrowed
        self.sticky = sticky
    }

    /// A method that is declared by its signature alone, for example an Objective-C method.
    public init(_ requirement: Requirement, _ signature: Signature) {
        self.init(
            requirement: requirement, signature: signature, policy: .implied(by: signature.result), since: 1,
            recursion: .recursive, isBorrowed: false, sticky: nil)
    }

    /// Reads `[required|optional] prototype {"," option} [";"]`. Without the first word, the method is required.
    public init(_ text: String, in scope: TypeScope = TypeScope()) throws(SyntaxError) {
        var parser = DeclarationParser(text, scope: scope)
        self = try parser.parseMethod()
    }
}

extension MethodDeclaration {
    /// The version of the protocol that introduced the method, from 1.
    public var since: Int { Int(sinceVersion) }

    /// The index of the parameter of the type `peal_completion`, by which an observer answers later.
    public var completionParameter: Int? { signature.parameters.firstIndex { $0.type.isCompletion } }
}

extension MethodDeclaration {
    /// The same declaration, with an identical list of parameters.
    func with(parameters: [Parameter]) -> MethodDeclaration {
        let identical = Signature(
            name: signature.name, result: signature.result, parameters: parameters,
            resultNullability: signature.resultNullability)
        return MethodDeclaration(
            requirement: requirement, signature: identical, policy: policy, since: since, recursion: recursion,
            isBorrowed: isBorrowed, sticky: sticky)
    }
}

extension CType {
    var isCompletion: Bool {
        if case .handle(.completion) = unaliased { true } else { false }
    }
}
