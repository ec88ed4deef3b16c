/// The types of a method's result and parameters, read off its generic parameters.
struct MethodTypes: Sendable {
    /// `nil` for none.
    let result: ValueType?
    private(set) var parameters: [ValueType] = []

    init(result: ValueType?) { self.result = result }

    mutating func append<Value: PealValue>(_ value: Value.Type) { parameters.append(ValueType(value)) }

    /// Whether a call can point to the arguments themselves.
    var arePlain: Bool { parameters.allSatisfy(\.isItsOwnRepresentation) }

    var all: [ValueType] { parameters + (result.map { [$0] } ?? []) }
}
