internal import CPealSupport

extension ValueShape {
    /// For each byte of the value, true if the byte is not padding.
    public var significantBytes: [Bool] {
        var bytes = [Bool](repeating: false, count: size)
        markSignificant(in: &bytes, from: 0)
        return bytes
    }

    private func markSignificant(in bytes: inout [Bool], from start: Int) {
        forEachScalar(from: start) { scalar, offset in
            let length = scalar == .longDouble ? Int(PEAL_LONG_DOUBLE_BYTES) : scalar.size
            for index in offset..<offset + length { bytes[index] = true }
        }
    }

    /// Calls `body` for each scalar in a value, with its offset. A complex number has two scalars. Members of a union
    /// overlap.
    func forEachScalar(from start: Int = 0, _ body: (_ scalar: ValueShape, _ offset: Int) -> Void) {
        switch self {
        case .members(let members, isUnion: false):
            var offset = start
            for member in members {
                let layout = member.layout
                offset = offset.roundedUp(to: layout.alignment)
                member.forEachScalar(from: offset, body)
                offset += layout.size
            }
        case .members(let members, isUnion: true):
            for member in members { member.forEachScalar(from: start, body) }
        case .complexFloat, .complexDouble, .complexLongDouble:
            let half: ValueShape = self == .complexFloat ? .float : self == .complexDouble ? .double : .longDouble
            body(half, start)
            body(half, start + half.size)
        default:
            body(self, start)
        }
    }

    /// Returns true if a float, or a half of a complex float, begins at this byte.
    func hasFloat(at byte: Int) -> Bool {
        var isFloat = false
        forEachScalar { scalar, offset in isFloat = isFloat || scalar == .float && offset == byte }
        return isFloat
    }

    /// The only scalar of a struct, however deeply nested. A scalar is its own only scalar. nil for a struct of several
    /// scalars, and for a union of different scalars.
    var onlyScalar: ValueShape? {
        switch self {
        case .members(let members, isUnion: false): return members.count == 1 ? members[0].onlyScalar : nil
        case .members(let members, isUnion: true):
            let first = members[0].onlyScalar
            return members.allSatisfy { $0.onlyScalar == first } ? first : nil
        default: return self
        }
    }

    /// True if members overlap anywhere in the value.
    public var hasUnion: Bool {
        switch self {
        case .members(let members, let isUnion): isUnion || members.contains { $0.hasUnion }
        default: false
        }
    }
}
