/// The rule of a parameter's declaration for its pointed-to memory. It decides what a copy of the call
/// contains.
public enum Ownership: Hashable, Sendable {
    /// Where the length of a buffer is found.
    public enum Length: Hashable, Sendable {
        /// Index of the integer parameter that counts.
        case parameter(Int)
        case constant(Int)
    }

    /// Not a pointer. A struct that contains pointers is a value too.
    case value
    /// `const char *` without a length: ends with a zero byte.
    case string
    /// `__counted_by`: a length in elements of `elementSize` bytes.
    indirect case counted(by: Length, elementSize: Int, allowsNull: Bool)
    /// `__sized_by`: a length in bytes.
    indirect case sized(by: Length, allowsNull: Bool)
    /// A pointer to code; there is nothing to copy.
    case function
    /// A pointer to a type whose own functions keep or copy it. The text does not contain this rule: the type had these
    /// functions when the text was read.
    case managed(by: TypeHooks)
    /// A pointer without a rule.
    case bare

    /// The length of a buffer; nil for everything else.
    public var length: Length? {
        switch self {
        case .counted(let length, _, _), .sized(let length, _): length
        case .value, .string, .function, .managed, .bare: nil
        }
    }

    /// True if two texts mean the same. A registration of a type's functions between the two readings is
    /// no difference.
    func agrees(with other: Ownership) -> Bool {
        asWritten == other.asWritten
    }

    private var asWritten: Ownership {
        if case .managed = self { .bare } else { self }
    }
}
