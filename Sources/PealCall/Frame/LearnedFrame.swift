/// The findings of the probe about a shape.
struct LearnedFrame {
    /// The parameters for libffi, one of them perhaps in halves.
    private(set) var pieces: [FramePiece]
    /// The index of the parameter in halves. There is at most one, because only one argument takes the last integer
    /// register.
    private(set) var halvedParameter: Int?
    /// nil where a frame cannot carry the call.
    private(set) var frame: FrameShape?
    private(set) var moves: [FrameMove] = []

    init(_ shape: CallShape) throws(OutOfMemory) {
        pieces = shape.parameters.enumerated().map { FramePiece(shape: $0.element, argument: $0.offset, offset: 0) }
        var probe = try FrameProbe(pieces, result: shape.result)
        if let disturbing = pieces.indices.first(where: { probe.disturbsOthers($0) }) {
            let piece = pieces[disturbing]
            halvedParameter = piece.argument
            pieces.replaceSubrange(
                disturbing...disturbing, with: FramePiece.halves(of: piece.shape, argument: piece.argument))
            probe = try FrameProbe(pieces, result: shape.result)
        }
        var fits = true
        for index in pieces.indices {
            if let found = probe.moves(of: index) { moves += found } else { fits = false }
        }
        // A call with a result in memory uses `ffi_call`, which needs only the pieces.
        guard fits, !shape.result.isReturnedInMemory else { return }
        // Arguments that fit in a frame are small, so their offsets are too.
        let offsets = ArgumentLayout(shape.parameters).offsets
        for index in moves.indices { moves[index].image = UInt16(offsets[Int(moves[index].argument)]) }
        guard let frame = FrameShape(carrying: moves), probe.proves(moves, frame: frame) else { return }
        self.frame = frame
    }
}

/// The description of an argument for libffi: the whole of it, or a half of a struct that libffi would pass
/// wrongly as a whole.
struct FramePiece {
    var shape: ValueShape
    /// The argument's index, and the offset of the piece in the argument.
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
