internal import CPealSupport

extension CallPlan {
    /// Writes the values of a call that came as a frame to an image of its arguments.
    public static func readFrame(
        _ plan: Pointer, _ words: UnsafePointer<UInt64>, intoImage image: UnsafeMutableRawPointer
    ) {
        var move = plan.pointee.moves
        while move != plan.pointee.endOfMoves {
            move.pointee.store(words[Int(move.pointee.word)], to: image + Int(move.pointee.image))
            move += 1
        }
    }
}
