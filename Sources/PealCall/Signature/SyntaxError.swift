/// Why a text was refused: what is wrong, where, and what to write instead.
public struct SyntaxError: Error, Equatable, Sendable {
    public enum Kind: Sendable {
        /// The text is not C, or not one of the forms that peal reads.
        case syntax
        /// A type is used by value, but has no definition.
        case unknownType
        /// The text is C, but peal does not support it.
        case unsupported
        /// A bound on size, count or nesting is exceeded.
        case limit
        /// A name is declared already, as something else.
        case conflict
    }

    public let kind: Kind
    /// Words for a C programmer, without the place.
    public let message: String
    /// Counted in bytes from 1, over the whole text, line ends included.
    public let column: Int

    public init(_ kind: Kind, _ message: String, column: Int) {
        self.kind = kind
        self.message = message
        self.column = column
    }
}

extension SyntaxError: CustomStringConvertible {
    /// The place and the message: `column 14: unknown type 'strct_t'`.
    public var sentence: String { "column \(column): \(message)" }

    public var description: String { sentence }

    /// The line of `text` with the mistake, and a caret under the column.
    public func excerpt(of text: String) -> String {
        let bytes = Array(text.utf8)
        let position = min(max(column - 1, 0), bytes.count)
        let newline = UInt8(ascii: "\n")
        let start = bytes[..<position].lastIndex(of: newline).map { $0 + 1 } ?? 0
        let end = bytes[position...].firstIndex(of: newline) ?? bytes.count
        let line = String(decoding: bytes[start..<end], as: UTF8.self)
        // Tabs are repeated, so that the caret is in the right column for any width of a tab.
        var padding = ""
        for byte in bytes[start..<position] where byte & 0xC0 != 0x80 {
            padding += byte == UInt8(ascii: "\t") ? "\t" : " "
        }
        return line + "\n" + padding + "^"
    }
}
