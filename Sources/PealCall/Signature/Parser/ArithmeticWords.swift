/// The words of an arithmetic type, in any order: `long unsigned int`.
struct ArithmeticWords {
    enum Word: Int {
        case void, char, short, int, long, signed, unsigned, float, double, bool, complex
        /// `_Float32`, `_Float64` and `_Float32x`, `_Float64x`: whole types, which no other word lengthens.
        case float32, float64, float64x
    }

    private var counts = Array(repeating: 0, count: Word.float64x.rawValue + 1)

    var isEmpty: Bool { counts.allSatisfy { $0 == 0 } }

    mutating func add(_ word: Word) { counts[word.rawValue] += 1 }

    private func count(_ word: Word) -> Int { counts[word.rawValue] }

    /// The type that the words make together, nil when they make none.
    var type: CType? {
        for word in 0..<counts.count where counts[word] > (word == Word.long.rawValue ? 2 : 1) { return nil }
        let total = counts.reduce(0, +)
        if count(.void) == 1 { return total == 1 ? .void : nil }
        if count(.bool) == 1 { return total == 1 ? .scalar(.bool) : nil }
        let floating = count(.float) + count(.double) + count(.float32) + count(.float64) + count(.float64x)
        if floating + count(.complex) > 0 { return floatingType(total).map { .scalar($0) } }
        return integerType(total).map { .scalar($0) }
    }

    private func floatingType(_ total: Int) -> Scalar? {
        let isComplex = count(.complex) == 1
        let isLong = count(.double) == 1 && count(.long) == 1
        guard total - count(.complex) == (isLong ? 2 : 1) else { return nil }
        if isLong || count(.float64x) == 1 { return isComplex ? .complexLongDouble : .longDouble }
        if count(.double) + count(.float64) == 1 { return isComplex ? .complexDouble : .double }
        if count(.float) + count(.float32) == 1 { return isComplex ? .complexFloat : .float }
        return nil
    }

    private func integerType(_ total: Int) -> Scalar? {
        let unsigned = count(.unsigned) == 1
        if unsigned, count(.signed) == 1 { return nil }
        let sign = count(.unsigned) + count(.signed)
        let sized = total - sign - count(.int)
        if count(.char) == 1 {
            guard total == 1 + sign else { return nil }
            return unsigned ? .unsignedChar : (count(.signed) == 1 ? .signedChar : .char)
        }
        switch (count(.short), count(.long)) {
        case (1, 0) where sized == 1: return unsigned ? .unsignedShort : .short
        case (0, 1) where sized == 1: return unsigned ? .unsignedLong : .long
        case (0, 2) where sized == 2: return unsigned ? .unsignedLongLong : .longLong
        case (0, 0) where sized == 0 && total > 0: return unsigned ? .unsignedInt : .int
        default: return nil
        }
    }
}
