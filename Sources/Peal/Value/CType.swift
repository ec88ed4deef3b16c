/// A C type, as the text of a prototype spells it, with what must be declared before.
public struct CType: Hashable, Sendable, CustomStringConvertible {
    /// The type as C writes it: `int32_t`, `const char *`, `struct point`.
    public let text: String
    /// The C declaration of the type for a center: `struct point { double x, y; };`. `nil` if none is
    /// needed, or other code declares it.
    public let declaration: String?
    /// True if it matches every pointer type.
    private(set) var fitsAnyPointer = false
    /// True if it leads to characters with a zero at their end. It matches no pointer to other bytes.
    private(set) var isText = false
    /// The mark after the type in a prototype: the number of elements that a pointer leads to.
    private(set) var mark = ""

    /// A type.
    ///
    /// - Parameters:
    ///   - text: The type as C writes it.
    ///   - declaration: The argument of `peal_type_declare` before the type is used.
    public init(_ text: String, declaration: String? = nil) {
        self.text = text
        self.declaration = declaration
    }

    /// A pointer to a type that Swift cannot name.
    static var anyPointer: CType {
        var type = CType("void *")
        type.fitsAnyPointer = true
        return type
    }

    /// A pointer to constant characters with a zero at their end.
    static var text: CType {
        var type = CType("const char *")
        type.isText = true
        return type
    }

    /// A pointer to one constant value, or NULL. Calls on queues copy the value.
    static func optional(_ type: CType) -> CType {
        var optional = CType("const \(type.text) *", declaration: type.declaration)
        optional.mark = "__counted_by_or_null(1)"
        return optional
    }

    /// The text.
    public var description: String { text }
}

/// Information in the text of a C declaration.
enum Declarations {
    /// The type that a declaration is about: `struct point` of `struct point { … };`, and the new name of a typedef.
    static func typeName(of declaration: String) -> String {
        let words = declaration.split { !isPartOfName($0) }
        if words.first == "typedef" { return words.last.map(String.init) ?? "" }
        return words.prefix(2).joined(separator: " ")
    }

    /// The name that a parameter's declaration ends with: `samples` of `const float *__counted_by(n) samples`.
    static func parameterName(of text: String) -> String {
        String(text.reversed().drop { !isPartOfName($0) }.prefix { isPartOfName($0) }.reversed())
    }

    static func isPartOfName(_ character: Character) -> Bool {
        character == "_" || (character.isASCII && (character.isLetter || character.isNumber))
    }
}

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
