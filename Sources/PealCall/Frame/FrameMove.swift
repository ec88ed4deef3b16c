/// One step of building a frame: a piece of an argument into a word.
@frozen
@usableFromInline
struct FrameMove: BitwiseCopyable {
    /// The common kinds first.
    @frozen
    @usableFromInline
    enum Kind: UInt8 {
        /// Eight bytes, from anywhere in the argument.
        case word
        case signed32, unsigned32
        case signed16, unsigned16, signed8, unsigned8
        /// A piece of a struct: fewer bytes, from anywhere in it.
        case piece
    }

    @usableFromInline var kind: Kind
    /// The argument's index.
    @usableFromInline var argument: UInt8
    /// The word of the frame that receives the bytes.
    @usableFromInline var word: UInt8
    /// The offset of the bytes in the argument, and their number.
    @usableFromInline var offset: UInt8
    var length: UInt8
    /// The offset of the argument in an image (``ArgumentLayout``).
    @usableFromInline var image: UInt16 = 0

    /// - Parameter part: The bytes of the piece that go into the word.
    init(part: Range<Int>, of piece: FramePiece, word: Int) {
        length = UInt8(part.count)
        offset = UInt8(piece.offset + part.lowerBound)
        argument = UInt8(piece.argument)
        // Only words and pieces may begin after an argument's first byte.
        let kind = offset == 0 ? Self.kind(shape: piece.shape) : .piece
        self.kind = kind == .piece && length == 8 ? .word : kind
        self.word = UInt8(word)
    }

    /// Integers smaller than a register are extended as their types require, because callees rely on that.
    private static func kind(shape: ValueShape) -> Kind {
        switch shape {
        case .int8: .signed8
        case .int16: .signed16
        case .int32: .signed32
        case .uint8, .bool: .unsigned8
        case .uint16: .unsigned16
        case .uint32, .float: .unsigned32
        case .int64, .uint64, .double, .pointer: .word
        case .void, .longDouble, .complexFloat, .complexDouble, .complexLongDouble, .members: .piece
        }
    }

    @inlinable
    @inline(__always)
    func value(from argument: UnsafeMutableRawPointer) -> UInt64 {
        // Two comparisons for most arguments of most programs, a table for the rest.
        if _fastPath(kind == .word) { return (argument + Int(offset)).loadUnaligned(as: UInt64.self) }
        if kind == .signed32 { return UInt64(truncatingIfNeeded: argument.loadUnaligned(as: Int32.self)) }
        return otherValue(from: argument)
    }

    /// The value in an image that is read word by word; nil if it may be in two words.
    @inlinable
    @inline(__always)
    func value(byWords bytes: (Int) -> UInt64) -> UInt64? {
        let start = Int(image) + Int(offset)
        if _fastPath(kind == .word) { return start & 7 == 0 ? bytes(start) : nil }
        guard kind != .piece else { return nil }
        var low = bytes(start)
        if kind == .signed32 { return UInt64(bitPattern: Int64(Int32(truncatingIfNeeded: low))) }
        return withUnsafeMutablePointer(to: &low) { otherValue(from: $0) }
    }

    /// The reverse of `value(from:)`: writes a word's part of the argument.
    func store(_ word: UInt64, to argument: UnsafeMutableRawPointer) {
        switch kind {
        case .word: (argument + Int(offset)).storeBytes(of: word, as: UInt64.self)
        case .signed32, .unsigned32: argument.storeBytes(of: UInt32(truncatingIfNeeded: word), as: UInt32.self)
        case .signed16, .unsigned16: argument.storeBytes(of: UInt16(truncatingIfNeeded: word), as: UInt16.self)
        case .signed8, .unsigned8: argument.storeBytes(of: UInt8(truncatingIfNeeded: word), as: UInt8.self)
        case .piece:
            withUnsafeBytes(of: word) { bytes in
                (argument + Int(offset)).copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: Int(length))
            }
        }
    }

    @usableFromInline
    func otherValue(from argument: UnsafeMutableRawPointer) -> UInt64 {
        switch kind {
        case .word, .signed32: 0
        case .unsigned32: UInt64(argument.loadUnaligned(as: UInt32.self))
        case .signed16: UInt64(truncatingIfNeeded: argument.loadUnaligned(as: Int16.self))
        case .unsigned16: UInt64(argument.loadUnaligned(as: UInt16.self))
        case .signed8: UInt64(truncatingIfNeeded: argument.load(as: Int8.self))
        case .unsigned8: UInt64(argument.load(as: UInt8.self))
        case .piece: piece(of: UnsafeRawPointer(argument) + Int(offset))
        }
    }

    /// A piece of a struct may be shorter than a word; nothing after it is read.
    private func piece(of source: UnsafeRawPointer) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<Int(length) {
            value |= UInt64(source.load(fromByteOffset: index, as: UInt8.self)) << UInt64(8 * index)
        }
        return value
    }
}
