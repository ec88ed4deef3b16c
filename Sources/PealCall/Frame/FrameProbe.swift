internal import CFFI
internal import CPealSupport

/// Learns from libffi where each byte of a call travels.
///
/// No register assignment is written down here. A probe function is called through `ffi_call` with
/// one byte of one argument set, and its frame shows where the byte went. The result is then verified:
/// random arguments must arrive alike by frame and by `ffi_call`, or the shape has no frame.
///
/// The probing call has more parameters after those of the shape, enough to fill every register with zeros. A register
/// that no argument took could otherwise still contain bytes that libffi moved through it. These bytes would look like
/// the argument. (Parameters are assigned from left to right, so later ones do not move them.)
struct FrameProbe: ~Copyable {
    private let memory: FFITypes
    private let interface: UnsafeMutablePointer<ffi_cif>
    /// A result in memory takes an integer register for its address, so it is part of the probing call.
    private let resultInMemory: Bool
    private let pieces: [FramePiece]
    private let slots: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    /// The offset of each value in `values`. The values that fill the registers are last.
    private let offsets: [Int]
    private let values: UnsafeMutableRawBufferPointer

    /// Larger arguments do not fit the stack words of a frame.
    private static let largestArgument = 8 * Int(PEAL_FRAME_STACK)

    init(_ pieces: [FramePiece], result: ValueShape) throws(OutOfMemory) {
        self.pieces = pieces
        resultInMemory = result.isReturnedInMemory
        let parameters =
            pieces.map { $0.shape } + Array(repeating: .int64, count: Int(PEAL_FRAME_INTEGERS))
            + Array(repeating: .double, count: Int(PEAL_FRAME_FLOATS))
        var memory = FFITypes()
        interface = try memory.interface(
            of: CallShape(result: resultInMemory ? result : .void, parameters: parameters))
        self.memory = memory
        var end = 0
        var offsets: [Int] = []
        for parameter in parameters {
            offsets.append(end)
            end += parameter.size.roundedUp(to: 16)
        }
        self.offsets = offsets
        values = .allocate(byteCount: end, alignment: 16)
        values.initializeMemory(as: UInt8.self, repeating: 0)
        slots = .allocate(capacity: parameters.count + 1)
    }

    deinit {
        slots.deallocate()
        values.deallocate()
    }

    /// The moves that carry a piece, or nil when it does not fit a frame.
    func moves(of index: Int) -> [FrameMove]? {
        let piece = pieces[index]
        guard peal_frame_supported() != 0, !piece.shape.isPassedByReference, piece.shape.size <= Self.largestArgument
        else { return nil }
        var moves: [FrameMove] = []
        for (start, byte) in firstSignificantBytes(of: piece.shape) {
            guard let word = wordsOfByte(byte, piece: index).first else { return nil }
            let end = min(start + 8, piece.shape.size)
            // Two floats share a word, or each has a register of its own.
            let half = start + 4
            let isHalved = piece.shape.hasFloat(at: half) && !wordsOfByte(half, piece: index).contains(word)
            moves.append(FrameMove(part: start..<(isHalved ? half : end), of: piece, word: word))
            guard isHalved else { continue }
            guard let other = wordsOfByte(half, rank: 0, piece: index).first else { return nil }
            moves.append(FrameMove(part: half..<end, of: piece, word: other))
        }
        return moves
    }

    /// Returns true if the second half of a struct arrives in two floating registers. If the first half is in the last
    /// integer register, libffi 3.4.4 also writes the second half to the first floating register, which may belong to
    /// another argument.
    func disturbsOthers(_ index: Int) -> Bool {
        let shape = pieces[index].shape
        guard peal_frame_supported() != 0, shape.isStructure, shape.size > 8, shape.size <= 16 else { return false }
        return firstSignificantBytes(of: shape).contains { _, byte in
            wordsOfByte(byte, piece: index).count(where: Self.isFloat) > 1
        }
    }

    /// For each word of a value that is more than padding: the offset of the word, and the offset of its first byte
    /// that is not padding.
    private func firstSignificantBytes(of shape: ValueShape) -> [(start: Int, byte: Int)] {
        let significant = shape.significantBytes
        return stride(from: 0, to: shape.size, by: 8).compactMap { start in
            (start..<min(start + 8, shape.size)).first { significant[$0] }.map { (start, $0) }
        }
    }

    /// The words in which a byte of the piece arrives, for each of several values. The byte's rank within the word is
    /// the rank in memory unless `rank` is given.
    private func wordsOfByte(_ byte: Int, rank: Int? = nil, piece: Int) -> [Int] {
        let rank = rank ?? byte % 8
        let location = offsets[piece] + byte
        var candidates = Self.searchOrder
        for pattern: UInt8 in [0x5a, 0xa5, 0x3c] {
            values[location] = pattern
            let words = capture()
            values[location] = 0
            candidates.removeAll { word in
                UInt8(truncatingIfNeeded: words[word] >> UInt64(8 * rank)) != pattern
            }
        }
        return candidates
    }

    /// Floating registers first, because libffi 3.4.4 writes the tail of a struct of mixed kinds into the next integer
    /// register too. The stack last, because libffi keeps a copy of the registers after the arguments.
    private static let searchOrder: [Int] =
        Array(Int(PEAL_FRAME_FIRST_FLOAT)..<Int(PEAL_FRAME_FIRST_STACK))
        + Array(1..<Int(PEAL_FRAME_INTEGERS))
        + Array(Int(PEAL_FRAME_FIRST_STACK)..<Int(PEAL_FRAME_WORDS))

    private static func isFloat(_ word: Int) -> Bool {
        (Int(PEAL_FRAME_FIRST_FLOAT)..<Int(PEAL_FRAME_FIRST_STACK)).contains(word)
    }

    /// Returns true if random arguments arrive alike by frame and by `ffi_call`, byte for byte.
    func proves(_ moves: [FrameMove], frame: FrameShape) -> Bool {
        var generator = SplitMix(state: 0x9e37_79b9_7f4a_7c15)
        for _ in 0..<4 {
            for index in 0..<offsets[pieces.count] { values[index] = UInt8(truncatingIfNeeded: generator.next()) }
            let expected = capture()
            let received = replay(moves, frame: frame)
            for move in moves {
                let mask = mask(of: move)
                guard (expected[Int(move.word)] ^ received[Int(move.word)]) & mask == 0 else { return false }
            }
        }
        return true
    }

    /// The bits of a move's word that are more than padding.
    private func mask(of move: FrameMove) -> UInt64 {
        let piece = pieces.first { $0.argument == Int(move.argument) && $0.covers(Int(move.offset)) }
        guard let piece else { return 0 }
        let start = Int(move.offset) - piece.offset
        let significant = piece.shape.significantBytes
        return (0..<Int(move.length)).reduce(UInt64(0)) { mask, byte in
            significant[start + byte] ? mask | 0xff << UInt64(8 * byte) : mask
        }
    }

    /// The frame of a call through libffi with the present values.
    private func capture() -> [UInt64] {
        var words = [UInt64](repeating: 0, count: Int(PEAL_FRAME_WORDS))
        words.withUnsafeMutableBufferPointer { words in
            var target = UnsafeMutableRawPointer(words.baseAddress)
            withUnsafeMutablePointer(to: &target) { target in
                slots[0] = UnsafeMutableRawPointer(target)
                for (index, offset) in offsets.enumerated() {
                    slots[index + 1] = values.baseAddress! + offset
                }
                // The probe writes its frame to the address in its first argument. If the result is in memory, that is
                // the address of the result.
                ffi_call(interface, peal_probe_frame(), resultInMemory ? words.baseAddress : nil, slots)
            }
        }
        return words
    }

    private func replay(_ moves: [FrameMove], frame: FrameShape) -> [UInt64] {
        var received = [UInt64](repeating: 0, count: Int(PEAL_FRAME_WORDS))
        var words = received
        for move in moves {
            let piece = pieces.firstIndex { $0.argument == Int(move.argument) && $0.covers(Int(move.offset)) }
            // The address at which the whole argument would begin, because the move adds its offset.
            let start = values.baseAddress! + offsets[piece!] - pieces[piece!].offset
            words[Int(move.word)] = move.value(from: start)
        }
        received.withUnsafeMutableBufferPointer { received in
            _ = frame.call(peal_probe_frame(), target: received.baseAddress, words: words)
        }
        return received
    }
}

extension FramePiece {
    fileprivate func covers(_ byte: Int) -> Bool {
        (offset..<offset + shape.size).contains(byte)
    }
}

/// Steele's SplitMix64: enough to tell bytes apart, and the same on every run.
private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
