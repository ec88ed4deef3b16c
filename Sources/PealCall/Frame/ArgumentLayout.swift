/// Where the values of a call lie in an *image* of its arguments: one after the other, each aligned as its type is.
public struct ArgumentLayout {
    /// For each parameter, where its value begins, in bytes.
    public private(set) var offsets: [Int] = []
    /// In bytes.
    public private(set) var size = 0

    public init(_ shapes: [ValueShape]) {
        for shape in shapes {
            let layout = shape.layout
            let offset = size.roundedUp(to: layout.alignment)
            offsets.append(offset)
            size = offset + layout.size
        }
    }
}
