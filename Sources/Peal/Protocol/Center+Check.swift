internal import CPeal

/// Compares a Swift declaration with the center's definition.
extension Center {
    /// Returns the method if it matches Swift's declaration.
    func check(
        _ signature: MethodSignature, _ method: peal_method, of owner: peal_protocol
    ) throws(PealError) -> ResolvedMethod {
        let title = "method \(signature.owner.name).\(signature.name)"
        try check(signature.types, method, title)
        let policy = try MethodInfo(method).policy
        if let declared = signature.policy, declared != policy,
            try !Self.isChain(declared, policy, signature, method)
        {
            throw PealError(
                status: .conflict,
                message: "\(title): its policy is \(policy.text), and Swift declares \(declared.text)")
        }
        return ResolvedMethod(method: method, protocol: owner, policy: policy.cValue)
    }

    /// Compares the types of the parameters and the result.
    func check(_ types: MethodTypes, _ method: peal_method, _ title: String) throws(PealError) {
        var count = 0
        try PealError.check(peal_method_count_parameters(method, &count))
        guard count == types.parameters.count else {
            throw PealError(
                status: .conflict,
                message: "\(title): it has \(count) parameters, and Swift declares \(types.parameters.count)")
        }
        for (index, type) in types.parameters.enumerated() {
            try checkParameter(index, type, method, title)
        }
        try checkResult(types.result, method, title)
    }

    private func checkParameter(
        _ index: Int, _ type: ValueType, _ method: peal_method, _ title: String
    ) throws(PealError) {
        var size = 0
        var alignment = 0
        try PealError.check(peal_method_parameter_layout(method, index, &size, &alignment))
        let text = try CStrings.copied { Status(peal_method_parameter_type(method, index, $0, $1, $2)) }
        if TypeComparison(center: handle, text: text, size: size, alignment: alignment).fits(type) { return }
        let name = try CStrings.copied { Status(peal_method_parameter_name(method, index, $0, $1, $2)) }
        throw Self.difference(title, "parameter \(index + 1)\(name.isEmpty ? "" : " '\(name)'")", text, size, type)
    }

    private func checkResult(_ type: ValueType?, _ method: peal_method, _ title: String) throws(PealError) {
        var size = 0
        var alignment = 0
        try PealError.check(peal_method_result_layout(method, &size, &alignment))
        let text = try CStrings.copied { Status(peal_method_result_type(method, $0, $1, $2)) }
        guard let type else {
            if text == "void" { return }
            throw PealError(status: .conflict, message: "\(title): its result is \(text), and Swift declares Void")
        }
        if TypeComparison(center: handle, text: text, size: size, alignment: alignment).fits(type) { return }
        throw Self.difference(title, "its result", text, size, type)
    }

    private static func difference(
        _ title: String, _ place: String, _ text: String, _ size: Int, _ type: ValueType
    ) -> PealError {
        let sizes = size == type.size ? "" : "; they have \(size) and \(type.size) bytes"
        return PealError(
            status: .conflict,
            message:
                "\(title): \(place) is \(text), and Swift declares \(type.swiftName), which is \(type.type)\(sizes)")
    }

    /// True if a chain through a named parameter is one through the first of the result's type.
    private static func isChain(
        _ declared: Policy, _ policy: Policy, _ signature: MethodSignature, _ method: peal_method
    ) throws(PealError) -> Bool {
        let types = signature.types
        guard declared == .chain, case .chainThrough(let name) = policy,
            let index = types.parameters.firstIndex(where: { $0.type == types.result?.type })
        else { return false }
        return try CStrings.copied { Status(peal_method_parameter_name(method, index, $0, $1, $2)) } == name
    }
}
