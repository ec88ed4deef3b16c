/// One parameter of a signature.
public struct Parameter: Sendable {
    /// nil where the prototype has none.
    public let name: String?
    /// As it is passed: arrays and functions are pointers, and qualifiers of the copy are dropped.
    public let type: CType
    public let ownership: Ownership
    /// The text's promise about null pointers.
    let nullability: Qualifiers

    public init(name: String?, type: CType, ownership: Ownership, nullability: Qualifiers = []) {
        self.name = name
        self.type = type
        self.ownership = ownership
        self.nullability = nullability
    }

    public var shape: ValueShape { type.shape }

    /// The text, or a typedef that it names, has `_Nonnull`: calls whose arguments no compiler has checked refuse
    /// a null pointer.
    public var isNonnull: Bool {
        nullability.contains(.nonnull) || QualifiedType(type).unaliased.qualifiers.contains(.nonnull)
    }

    /// For messages: `parameter 2 'flags'`, or `parameter 2`.
    public func title(at index: Int) -> String {
        name.map { "parameter \(index + 1) '\($0)'" } ?? "parameter \(index + 1)"
    }
}

extension Parameter: Equatable {
    /// Names and promises about null pointers are not compared.
    public static func == (left: Parameter, right: Parameter) -> Bool {
        left.type == right.type && left.ownership == right.ownership
    }
}
