extension ValueShape {
    /// For each byte of the value, whether it is more than padding.
    public var significantBytes: [Bool] {
        var bytes = [Bool](repeating: false, count: size)
        markSignificant(in: &bytes, from: 0)
        return bytes
    }

    private func markSignificant(in bytes: inout [Bool], from start: Int) {
        switch self {
        case .structure(let members):
            var offset = start
            for member in members {
                offset = offset.roundedUp(to: member.layout.alignment)
                member.markSignificant(in: &bytes, from: offset)
                offset += member.size
            }
        case .longDouble:
            // Ten bytes of the x87's; the rest is padding.
            for index in start..<start + 10 { bytes[index] = true }
        case .complexLongDouble:
            ValueShape.longDouble.markSignificant(in: &bytes, from: start)
            ValueShape.longDouble.markSignificant(in: &bytes, from: start + 16)
        default:
            for index in start..<start + size { bytes[index] = true }
        }
    }

    /// The one scalar that a struct is made of, however deep; the value itself for a scalar; nil for a
    /// struct of several.
    var onlyScalar: ValueShape? {
        guard case .structure(let members) = self else { return self }
        return members.count == 1 ? members[0].onlyScalar : nil
    }
}
