/// What libffi is told of an argument: the whole of it, or a half of a struct that libffi would get
/// wrong as a whole.
struct FramePiece {
    var shape: ValueShape
    /// The argument's index, and where in it this begins.
    var argument: Int
    var offset: Int

    /// The halves of a struct of two words, the first an integer and the second floating.
    static func halves(of shape: ValueShape, argument: Int) -> [FramePiece] {
        [
            FramePiece(shape: .uint64, argument: argument, offset: 0),
            FramePiece(shape: shape.size == 16 ? .double : .float, argument: argument, offset: 8),
        ]
    }
}
