public import CPealSupport

extension CallPlan {
    /// Fills the words of a frame from argument values. Words without an argument keep their values, because no
    /// function of this shape reads them.
    ///
    /// - Parameter arguments: One pointer per parameter.
    /// - Returns: False when one of the pointers is null; the frame must not be used then.
    @inlinable
    @inline(__always)
    public static func buildFrame(
        _ plan: Pointer, from arguments: UnsafePointer<UnsafeMutableRawPointer?>,
        into words: UnsafeMutablePointer<UInt64>
    ) -> Bool {
        var move = plan.pointee.moves
        let end = plan.pointee.endOfMoves
        while move != end {
            guard let argument = arguments[Int(move.pointee.argument)] else { return false }
            words[Int(move.pointee.word)] = move.pointee.value(from: argument)
            move += 1
        }
        return true
    }

    /// Fills the words of a frame from an image of the arguments.
    @inlinable
    @inline(__always)
    public static func buildFrame(
        _ plan: Pointer, fromImage image: UnsafeMutableRawPointer, into words: UnsafeMutablePointer<UInt64>
    ) {
        var move = plan.pointee.moves
        let end = plan.pointee.endOfMoves
        while move != end {
            words[Int(move.pointee.word)] = move.pointee.value(from: image + Int(move.pointee.image))
            move += 1
        }
    }

    /// Fills the words of a frame from an image that is read word by word.
    ///
    /// - Parameter bytes: Returns the bytes at an offset of the image, and those after it in the same word, as the low
    ///   bytes of its result.
    /// - Returns: False if an argument is a piece of a struct, which may be in two words; the frame must not be used
    ///   then.
    @inlinable
    @inline(__always)
    public static func buildFrame(
        _ plan: Pointer, byWords bytes: (Int) -> UInt64, into words: UnsafeMutablePointer<UInt64>
    ) -> Bool {
        var move = plan.pointee.moves
        let end = plan.pointee.endOfMoves
        while move != end {
            guard let value = move.pointee.value(byWords: bytes) else { return false }
            words[Int(move.pointee.word)] = value
            move += 1
        }
        return true
    }

    /// The value of `integers`. nil unless each parameter is an integer of 32 or 64 bits, or a struct of that size, and
    /// they are in the integer registers in order.
    func findIntegers() -> Integers? {
        guard let frame, !frame.usesStack, parameterCount <= Integers.most, endOfMoves - moves == parameterCount else {
            return nil
        }
        var narrow: UInt8 = 0
        for index in 0..<parameterCount {
            let move = moves[index]
            guard Int(move.argument) == index, Int(move.word) == index + 1, move.offset == 0 else { return nil }
            switch move.kind {
            case .word: break
            case .signed32, .unsigned32: narrow |= 1 << UInt8(index)
            case .signed16, .unsigned16, .signed8, .unsigned8, .piece: return nil
            }
        }
        return Integers(count: UInt8(parameterCount), narrow: narrow)
    }

    /// Calls `function` with a frame and stores its result.
    ///
    /// - Parameter result: a `peal_result_room`, whatever the result's size.
    @inline(__always)
    public static func callWithFrame(
        _ plan: Pointer, shape: FrameShape, function: @escaping peal_frame_function,
        target: UnsafeMutableRawPointer?, words: UnsafePointer<UInt64>, result: UnsafeMutableRawPointer
    ) {
        let location = plan.pointee.resultLocation
        if location == .integer || location == .none {
            result.storeBytes(
                of: shape.call(function, target: target, words: words), as: UInt64.self)
        } else if shape.usesStack {
            callWithStack(location, function, target, words, result)
        } else {
            callWithRegisters(location, function, target, words, result)
        }
    }

    private static func callWithRegisters(
        _ location: ResultLocation, _ function: @escaping peal_frame_function,
        _ target: UnsafeMutableRawPointer?, _ words: UnsafePointer<UInt64>, _ result: UnsafeMutableRawPointer
    ) {
        switch location {
        case .none, .integer, .elsewhere: break
        case .float: result.storeBytes(of: peal_frame_s_all_8_0(function, target, words), as: Double.self)
        case .integers: result.storeBytes(of: peal_frame_ii_all_8_0(function, target, words), as: peal_frame_ii.self)
        case .floats: result.storeBytes(of: peal_frame_ss_all_8_0(function, target, words), as: peal_frame_ss.self)
        case .integerFloat:
            result.storeBytes(of: peal_frame_is_all_8_0(function, target, words), as: peal_frame_is.self)
        case .floatInteger:
            result.storeBytes(of: peal_frame_si_all_8_0(function, target, words), as: peal_frame_si.self)
        case .singles: peal_frame_ss_all_8_0(function, target, words).storeSingles(to: result)
        }
    }

    private static func callWithStack(
        _ location: ResultLocation, _ function: @escaping peal_frame_function,
        _ target: UnsafeMutableRawPointer?, _ words: UnsafePointer<UInt64>, _ result: UnsafeMutableRawPointer
    ) {
        switch location {
        case .none, .integer, .elsewhere: break
        case .float: result.storeBytes(of: peal_frame_s_all_8_16(function, target, words), as: Double.self)
        case .integers: result.storeBytes(of: peal_frame_ii_all_8_16(function, target, words), as: peal_frame_ii.self)
        case .floats: result.storeBytes(of: peal_frame_ss_all_8_16(function, target, words), as: peal_frame_ss.self)
        case .integerFloat:
            result.storeBytes(of: peal_frame_is_all_8_16(function, target, words), as: peal_frame_is.self)
        case .floatInteger:
            result.storeBytes(of: peal_frame_si_all_8_16(function, target, words), as: peal_frame_si.self)
        case .singles: peal_frame_ss_all_8_16(function, target, words).storeSingles(to: result)
        }
    }
}

extension CallPlan {
    /// Writes the argument values in the words of a frame to an image.
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

extension peal_frame_ss {
    /// Writes the float that each register has in its low half.
    fileprivate func storeSingles(to result: UnsafeMutableRawPointer) {
        withUnsafeBytes(of: numbers) { numbers in
            for index in 0..<Int(PEAL_RESULT_FLOATS) {
                result.storeBytes(
                    of: numbers.load(fromByteOffset: 8 * index, as: UInt32.self), toByteOffset: 4 * index,
                    as: UInt32.self)
            }
        }
    }

    /// Makes the registers from a result in memory, where its floats are contiguous.
    public init(singles result: UnsafeRawPointer) {
        self.init()
        withUnsafeMutableBytes(of: &numbers) { numbers in
            for index in 0..<Int(PEAL_RESULT_FLOATS) {
                numbers.storeBytes(
                    of: result.load(fromByteOffset: 4 * index, as: UInt32.self), toByteOffset: 8 * index,
                    as: UInt32.self)
            }
        }
    }
}
