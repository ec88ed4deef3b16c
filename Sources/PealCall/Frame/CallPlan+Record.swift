internal import CPealSupport

extension CallPlan {
    /// Writes argument values back from the words of a frame that was called with them.
    ///
    /// - Parameter arguments: one pointer a parameter, to room for its value.
    public static func readFrame(
        _ plan: Pointer, _ words: UnsafePointer<UInt64>, into arguments: UnsafePointer<UnsafeMutableRawPointer?>
    ) {
        var move = plan.pointee.moves
        while move != plan.pointee.endOfMoves {
            if let argument = arguments[Int(move.pointee.argument)] {
                move.pointee.store(words[Int(move.pointee.word)], to: argument)
            }
            move += 1
        }
    }
}
