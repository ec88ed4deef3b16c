public import PealCall

/// The parameters and the result of a method.
extension Method {
    public var parameterCount: Int { declaration.signature.parameters.count }

    public func parameter(_ index: Int) throws(Failure) -> Parameter {
        guard (0..<parameterCount).contains(index) else {
            throw Failure(.argument, "\(title) has \(parameterCount) parameters, counted from 0, and no \(index)")
        }
        return declaration.signature.parameters[index]
    }

    public func parameterIndex(named name: String) throws(Failure) -> Int {
        let parameters = declaration.signature.parameters
        guard let index = parameters.firstIndex(where: { $0.name == name }) else {
            throw Failure(
                .notFound,
                "\(title) has no parameter \(name); it has \(CenterState.list(parameters.compactMap { $0.name }))")
        }
        return index
    }

    /// The first `_Nonnull` parameter whose argument is a null pointer.
    ///
    /// - Parameter arguments: A pointer to each argument.
    func forbiddenNull(in arguments: Broadcast.Arguments) -> Int? {
        let parameters = declaration.signature.parameters
        return parameters.indices.first { index in
            parameters[index].isNonnull
                && arguments[index].map { $0.loadUnaligned(as: UInt.self) == 0 } ?? false
        }
    }

    /// "parameter 2 'text'"
    func title(ofParameter index: Int) -> String {
        declaration.signature.parameters[index].title(at: index)
    }

    public var resultSize: Int { plan.pointee.resultSize }

    /// The bytes of the argument values in an image.
    public var frameLength: Int { copyPlan.pointee.fixedSize }
}
