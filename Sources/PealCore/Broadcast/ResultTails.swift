public import CPealSupport
import PealCall

/// Makes one result of many. The calls return results as the words of their registers.
///
/// The loops of ``ResultReplay`` are specialised for each tail, so a tail is a few instructions after the call.
@usableFromInline
protocol ResultTail {
    /// Takes the words of one result. Returns false to stop the broadcast.
    mutating func take(_ first: UInt64, _ second: UInt64) -> Bool
    /// Takes the words of one result, unless the observer's result does not count.
    mutating func take(_ first: UInt64, _ second: UInt64, of entry: UnsafePointer<peal_entry>) -> Bool
    /// The combined result.
    var words: (UInt64, UInt64) { get }
    /// True if the tail is not worth a set of loops.
    static var isRare: Bool { get }
}

extension ResultTail {
    @inlinable
    @inline(__always)
    static var isRare: Bool { false }

    /// Each result counts.
    @inlinable
    @inline(__always)
    mutating func take(_ first: UInt64, _ second: UInt64, of entry: UnsafePointer<peal_entry>) -> Bool {
        take(first, second)
    }
}

/// The tail of a broadcast without a result.
@usableFromInline
struct DroppedResult: ResultTail {
    #if DEBUG
    /// Without optimisation, an empty value has the address of another value. The thread sanitizer would then report
    /// two threads that pass it `inout`.
    @usableFromInline var byte: UInt8 = 0
    #endif

    @inlinable
    @inline(__always)
    init() {}

    @inlinable
    var words: (UInt64, UInt64) { (0, 0) }

    @inlinable
    @inline(__always)
    mutating func take(_ first: UInt64, _ second: UInt64) -> Bool { true }
}

struct LastResult: ResultTail {
    var words: (UInt64, UInt64) = (0, 0)

    @inline(__always)
    mutating func take(_ first: UInt64, _ second: UInt64) -> Bool {
        words = (first, second)
        return true
    }
}

/// The first result that is not zero, or the last one.
struct FirstResult: ResultTail {
    /// The bits that are tested. For a floating result the sign is not among them, so a negative zero is zero.
    let mask: UInt64
    var word: UInt64 = 0

    var words: (UInt64, UInt64) { (word, 0) }

    @inline(__always)
    mutating func take(_ first: UInt64, _ second: UInt64) -> Bool {
        word = first
        return first & mask == 0
    }
}

/// True if any result is true, or every one.
struct TruthResult: ResultTail {
    let mask: UInt64
    let isEvery: Bool
    /// Not zero if a result is true.
    var ones: UInt64 = 0
    /// One if a result is false.
    var zeros: UInt64 = 0

    var words: (UInt64, UInt64) { (isEvery ? zeros ^ 1 : ones == 0 ? 0 : 1, 0) }

    @inline(__always)
    mutating func take(_ first: UInt64, _ second: UInt64) -> Bool {
        // Without a branch, since results may be true and false in any order.
        let value = first & mask
        ones |= value
        zeros |= value == 0 ? 1 : 0
        return true
    }
}

/// The sum of integers, which saturates at the limits of their type. Values are shifted to the top of the word, so an
/// addition overflows where the type's addition would.
struct SumResult<Word: FixedWidthInteger & BitwiseCopyable>: ResultTail {
    static var isRare: Bool { !Word.isSigned }

    let shift: Word
    var sum: Word = 0

    var words: (UInt64, UInt64) { (UInt64(truncatingIfNeeded: sum &>> shift), 0) }

    @inline(__always)
    mutating func take(_ first: UInt64, _ second: UInt64) -> Bool {
        let value = Word(truncatingIfNeeded: first) &<< shift
        let (total, overflow) = sum.addingReportingOverflow(value)
        sum = _slowPath(overflow) ? end(value) : total
        return true
    }

    private func end(_ value: Word) -> Word {
        value < 0 ? .min : (Word.max &>> shift) &<< shift
    }
}

/// The least integer. For the greatest one the bits are flipped, which reverses the order.
struct LeastResult<Word: FixedWidthInteger & BitwiseCopyable>: ResultTail {
    static var isRare: Bool { true }

    let shift: Word
    let flip: Word
    var least = Word.max

    var words: (UInt64, UInt64) { (UInt64(truncatingIfNeeded: (least &>> shift) ^ flip), 0) }

    @inline(__always)
    mutating func take(_ first: UInt64, _ second: UInt64) -> Bool {
        let value = (Word(truncatingIfNeeded: first) ^ flip) &<< shift
        if value < least { least = value }
        return true
    }
}

struct DoubleSumResult: ResultTail {
    /// Negative zero is the neutral element of addition: the sum with it keeps even the sign of a zero.
    var sum = -0.0

    var words: (UInt64, UInt64) { (sum.bitPattern, 0) }

    @inline(__always)
    mutating func take(_ first: UInt64, _ second: UInt64) -> Bool {
        sum += Double(bitPattern: first)
        return true
    }
}

/// Other sums and orders of floating numbers.
struct CombinedResult: ResultTail {
    static var isRare: Bool { true }

    let policy: BroadcastPolicy
    let kind: ResultKind
    var word: UInt64 = 0
    var isFirst = true

    var words: (UInt64, UInt64) { (word, 0) }

    @inline(never)
    mutating func take(_ first: UInt64, _ second: UInt64) -> Bool {
        var value = first
        if isFirst {
            word = value
            isFirst = false
            return true
        }
        switch policy {
        case .sum: kind.add(&value, to: &word)
        case .min: if kind.isLess(&value, than: &word) { word = value }
        case .max: if kind.isLess(&word, than: &value) { word = value }
        default: break
        }
        return true
    }
}

/// Results of four bytes, the most common size, one after another in the caller's memory, as many as fit.
struct CollectedWords: ResultTail {
    var next: UnsafeMutableRawPointer
    let end: UnsafeMutableRawPointer

    /// The caller's memory has the results.
    var words: (UInt64, UInt64) { (0, 0) }

    @inline(__always)
    mutating func take(_ first: UInt64, _ second: UInt64) -> Bool {
        if _fastPath(next != end) {
            next.storeBytes(of: UInt32(truncatingIfNeeded: first), as: UInt32.self)
            next += MemoryLayout<UInt32>.size
        }
        return true
    }
}

/// The same of any size.
struct CollectedResults: ResultTail {
    var next: UnsafeMutableRawPointer
    let end: UnsafeMutableRawPointer
    let size: Int

    /// The caller's memory has the results.
    var words: (UInt64, UInt64) { (0, 0) }

    @inline(__always)
    mutating func take(_ first: UInt64, _ second: UInt64) -> Bool {
        guard next != end else { return true }
        // The most common size is tested first.
        if _fastPath(size == MemoryLayout<UInt32>.size) {
            next.storeBytes(of: UInt32(truncatingIfNeeded: first), as: UInt32.self)
        } else {
            ResultWords.store(first, second, size, in: next)
        }
        next += size
        return true
    }
}

/// Results of one word that the caller's function folds.
public struct FoldedInteger: ResultTail {
    let fold: BroadcastRequest.Fold
    let context: UnsafeMutableRawPointer?
    let accumulator: UnsafeMutableRawPointer?

    public init(
        fold: @escaping BroadcastRequest.Fold, context: UnsafeMutableRawPointer?, accumulator: UnsafeMutableRawPointer?
    ) {
        self.fold = fold
        self.context = context
        self.accumulator = accumulator
    }

    /// The caller's function has stored the combined result already.
    @usableFromInline var words: (UInt64, UInt64) { (0, 0) }

    @usableFromInline
    @inline(__always)
    mutating func take(_ first: UInt64, _ second: UInt64) -> Bool {
        var result = first
        return withUnsafeMutablePointer(to: &result) { fold(context, accumulator, $0) }
    }
}

/// Results that the caller's function folds.
struct FoldedResult: ResultTail {
    static var isRare: Bool { true }

    let fold: BroadcastRequest.Fold
    let context: UnsafeMutableRawPointer?
    let accumulator: UnsafeMutableRawPointer?

    /// The caller's function has stored the combined result already.
    var words: (UInt64, UInt64) { (0, 0) }

    @inline(__always)
    mutating func take(_ first: UInt64, _ second: UInt64) -> Bool {
        var result = (first, second)
        return withUnsafeMutablePointer(to: &result) { fold(context, accumulator, $0) }
    }
}
