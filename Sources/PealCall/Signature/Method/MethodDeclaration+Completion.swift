extension MethodDeclaration {
    /// The parameter by which an observer answers later: the first of the type `peal_completion`.
    public var completionParameter: Int? { signature.completionParameters.first }
}

extension Signature {
    /// The parameters of the type `peal_completion`.
    public var completionParameters: [Int] {
        parameters.indices.filter { index in
            guard case .handle(StandardTypes.completion) = parameters[index].type.unaliased else { return false }
            return true
        }
    }
}
