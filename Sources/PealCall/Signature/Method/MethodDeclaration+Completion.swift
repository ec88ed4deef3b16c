extension MethodDeclaration {
    /// The parameter by which an observer answers later: the one of the type `peal_completion`.
    public var completionParameter: Int? { signature.parameters.firstIndex { $0.type.isCompletion } }
}

extension CType {
    var isCompletion: Bool {
        if case .handle(StandardTypes.completion) = unaliased { true } else { false }
    }
}
