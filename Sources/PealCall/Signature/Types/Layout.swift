/// What a value of a type occupies in memory, in bytes.
public struct Layout: Hashable, Sendable {
    public let size: Int
    public let alignment: Int

    public init(size: Int, alignment: Int) {
        self.size = size
        self.alignment = alignment
    }
}
