internal import CPealSupport

/// The numbers of registers and stack words that a frame fills. They select one of the ready-made calls.
///
/// Counts are rounded up to what exists: 1 to 5 integers (the target is the first) or all of the machine's; 0, 2 or 8
/// floats; with all integers and 0 or 8 floats also 1, 2, 3, 4, 6, 8, 12 or 16 stack words.
@frozen
public struct FrameShape: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// integers - 1 (5 for all) + 6 * (0, 1, 2 for the floats), or 18 + stack step + 8 * (0, 1 for the floats).
    public let rawValue: UInt8

    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The shape that carries these counts, or nil where none does.
    init?(integers: Int, floats: Int, stackWords: Int) {
        guard (1...Int(PEAL_FRAME_INTEGERS)).contains(integers), (0...Int(PEAL_FRAME_FLOATS)).contains(floats) else {
            return nil
        }
        if stackWords == 0 {
            let floatStep = floats == 0 ? 0 : floats <= 2 ? 1 : 2
            rawValue = UInt8(min(integers - 1, 5) + 6 * floatStep)
            return
        }
        guard let step = Self.stackSteps.firstIndex(where: { $0 >= stackWords }) else { return nil }
        rawValue = UInt8(18 + step + (floats == 0 ? 0 : 8))
    }

    static let stackSteps = [1, 2, 3, 4, 6, 8, 12, 16]

    @inlinable
    public var usesStack: Bool { rawValue >= 18 }

    /// True if a call with all integers and two floats carries the frame.
    @inlinable
    public var hasAtMostTwoFloats: Bool { rawValue < 12 }

    /// True if the frame uses the stack, and a call with all integers and four words of the stack carries it.
    @inlinable
    public var hasAtMostFourStackWords: Bool { (18...21).contains(rawValue) }

    /// Returns true if the frame consists of the target and at most this many integers.
    public func takesIntegers(upTo count: Int) -> Bool { rawValue <= count }

    /// Returns true if the frame consists of the target, at most this many integers, and one or two floats.
    public func takesFewFloats(besidesIntegersUpTo count: Int) -> Bool { (6...6 + count).contains(Int(rawValue)) }

    /// True if a call without the target differs only in that each integer is one register lower. That requires that no
    /// argument is on the stack.
    public var canMoveUp: Bool { !usesStack }
}
