/// A struct or a union: by name alone where a pointer refers to it, with its members where it is passed by value.
public struct Structure: Sendable {
    public enum Kind: Sendable {
        case structure, union

        /// The keyword in front of the tag.
        var word: String { self == .structure ? "struct" : "union" }

        /// In a sentence: `a struct`.
        var title: String { "a " + word }
    }

    public let kind: Kind
    /// The tag, or the typedef name of a struct without a tag. Empty where there is neither.
    public let name: String
    public let isTagged: Bool
    public let body: StructureBody?

    init(_ kind: Kind = .structure, name: String, isTagged: Bool, body: StructureBody?) {
        self.kind = kind
        self.name = name
        self.isTagged = isTagged
        self.body = body
    }

    /// In C's words: `struct point`, or the typedef name.
    var spelling: String { isTagged ? kind.word + " " + name : name }

    func with(_ body: StructureBody?) -> Structure {
        Structure(kind, name: name, isTagged: isTagged, body: body)
    }
}
