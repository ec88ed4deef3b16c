/// A struct: by name alone where it stands behind a pointer, with its members where it stands by value.
public struct Structure: Sendable {
    /// The tag, or the typedef name of a struct without a tag. Empty where there is neither.
    public let name: String
    public let isTagged: Bool
    public let body: StructureBody?

    /// In C's words: `struct point`, or the typedef name.
    var spelling: String { isTagged ? "struct " + name : name }

    func with(_ body: StructureBody?) -> Structure {
        Structure(name: name, isTagged: isTagged, body: body)
    }
}
