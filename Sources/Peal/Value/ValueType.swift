/// The properties of a value's type for the comparison with C's.
struct ValueType: Sendable {
    let type: CType
    /// The size of the representation, as C's `sizeof`.
    let size: Int
    let alignment: Int
    /// The Swift type, for messages.
    let swiftName: String
    /// True if a call can point to the value itself.
    var isItsOwnRepresentation: Bool
    /// The reason why the type cannot exist in C; `nil` without one.
    let misplacement: String?

    init<Value: PealValue>(_ value: Value.Type) {
        type = Value.cType
        size = MemoryLayout<Value.CValue>.stride
        alignment = MemoryLayout<Value.CValue>.alignment
        swiftName = String(describing: Value.self)
        // Swift ends some structs before their last padding, and puts other values there.
        isItsOwnRepresentation = Value.isItsOwnRepresentation && MemoryLayout<Value>.size == size
        misplacement =
            _isPOD(Value.CValue.self)
            ? (Value.self as? any PealStruct.Type)?.misplacementOfMembers
            : "\(swiftName) refers to objects, which C cannot have; pass plain values, or a pointer"
    }
}

extension PealStruct {
    fileprivate static var misplacementOfMembers: String? { structure.misplacement() }
}
