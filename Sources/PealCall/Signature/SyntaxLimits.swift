/// Bounds on every text and its declarations, so that the time and the stack that a text costs are bounded.
enum SyntaxLimits {
    /// The length of a method, a type or an encoding.
    static let textBytes = 16_384
    /// The length of declarations of types. An enumeration may have thousands of names.
    static let declarationBytes = 1 << 20
    static let parameters = 64
    /// Parentheses and braces inside each other. A level costs some kilobytes of stack, and the
    /// threads of a plugin host may have little.
    static let nesting = 16
    /// Depth of a type once its typedefs are followed. A pointed-to struct that has a name is a leaf.
    static let typeDepth = 64
    static let structureBytes = 65_536
    /// Members of a struct with arrays and nested structs counted element by element.
    static let structureMembers = 4_096
    /// Parts of a type or a signature once its typedefs are followed. Typedefs of function types
    /// that take each other would otherwise double in size with every line.
    static let typeParts = 16_384
    /// The greatest size of a constant `__counted_by` or an array parameter.
    static let bufferBytes = 0x7FFF_FFFF
    static let scopeNames = 65_536
    /// The number of declared names that are compared with an unknown name, to suggest one.
    static let suggestions = 2_048
    static let version = 0x7FFF_FFFF
}
