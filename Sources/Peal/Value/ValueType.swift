/// What is known of a value's type when it is compared with C's.
struct ValueType: Sendable {
    let type: CType
    /// Of the representation, as C's `sizeof` counts.
    let size: Int
    let alignment: Int
    /// The Swift type, for messages.
    let swiftName: String
    /// Whether a call can point to the value itself.
    let isItsOwnRepresentation: Bool
    /// What is wrong with a struct's members; `nil` when nothing is.
    let misplacement: String?

    init<Value: PealValue>(_ value: Value.Type) {
        type = Value.cType
        size = MemoryLayout<Value.CValue>.stride
        alignment = MemoryLayout<Value.CValue>.alignment
        swiftName = String(describing: Value.self)
        // Swift ends some structs before their last padding, and puts other values there.
        isItsOwnRepresentation = Value.isItsOwnRepresentation && MemoryLayout<Value>.size == size
        misplacement = (Value.self as? any PealStruct.Type)?.misplacementOfMembers
    }
}

extension PealStruct {
    fileprivate static var misplacementOfMembers: String? { structure.misplacement() }
}
