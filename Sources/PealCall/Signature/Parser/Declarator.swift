/// The declarator around a name: `(*name[4])(int)`.
struct Declarator {
    /// One step from the name outwards: `name` is an array of pointers to functions.
    struct Derivation {
        enum Kind {
            case pointer(Qualifiers, BufferMark?)
            /// In a parameter, `isStatic` promises that all elements exist.
            case array(count: Int?, isStatic: Bool)
            case function(ParameterList)
        }

        let kind: Kind
        let column: Int
    }

    var name: SourceToken?
    var derivations: [Derivation] = []
    /// A mark after the name, which is allowed too.
    var mark: BufferMark?

    /// True if the specified type is pointed to, and need not be declared.
    var hasPointer: Bool {
        derivations.contains { if case .pointer = $0.kind { true } else { false } }
    }
}

/// `__counted_by(n)` and similar attributes as read, before `n` is looked up.
struct BufferMark {
    enum Length {
        case named(String)
        case constant(Int)
    }

    let word: String
    let length: Length
    let column: Int
    let lengthColumn: Int

    var countsElements: Bool { word.hasPrefix("__counted") }
    var allowsNull: Bool { word.hasSuffix("or_null") }
}

/// A parameter list as read. Requirements of a method's own list are checked later, because the owner
/// of the list is not known while it is read.
struct ParameterList {
    struct Entry {
        var name: SourceToken?
        /// Arrays and functions are pointers already.
        var type: QualifiedType
        var column: Int
        var mark: BufferMark?
        /// The length of an array parameter.
        var extent: (count: Int, isStatic: Bool)?
    }

    var entries: [Entry] = []
    var ellipsisColumn: Int?
}
