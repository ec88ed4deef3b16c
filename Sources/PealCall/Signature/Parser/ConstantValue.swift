/// An integer constant with the type that C gives it, for the lengths of arrays and for enumerators.
struct ConstantValue: Equatable, Sendable {
    var value: Int128
    var scalar: Scalar

    init(_ value: Int128, _ scalar: Scalar) {
        self.value = value
        self.scalar = scalar
    }

    /// The value of an enumerator or of a character: an `int` if that is wide enough.
    init(_ value: Int128) {
        self.value = value
        if Scalar.int.range.contains(value) {
            scalar = .int
        } else {
            scalar = Scalar.long.range.contains(value) ? .long : .unsignedLong
        }
    }

    private static func common(_ left: Scalar, _ right: Scalar) -> Scalar {
        switch (left, right) {
        case (.unsignedLong, _), (_, .unsignedLong): .unsignedLong
        case (.long, _), (_, .long): .long
        case (.unsignedInt, _), (_, .unsignedInt): .unsignedInt
        default: .int
        }
    }

    /// The value in the common type of two constants, as C converts the branches of a `?:`.
    func converted(with other: ConstantValue) -> ConstantValue {
        ConstantValue.wrapped(value, ConstantValue.common(scalar, other.scalar))
    }

    /// The value after a cast to an integer type. Types smaller than `int` are promoted again.
    func cast(to target: Scalar) -> ConstantValue {
        switch target.layout.size {
        case _ where target == .bool: ConstantValue(value == 0 ? 0 : 1, .int)
        case 1:
            ConstantValue(
                target.isUnsigned ? Int128(UInt8(truncatingIfNeeded: value)) : Int128(Int8(truncatingIfNeeded: value)),
                .int)
        case 2:
            ConstantValue(
                target.isUnsigned
                    ? Int128(UInt16(truncatingIfNeeded: value)) : Int128(Int16(truncatingIfNeeded: value)), .int)
        case 4: ConstantValue.wrapped(value, target.isUnsigned ? .unsignedInt : .int)
        default: ConstantValue.wrapped(value, target.isUnsigned ? .unsignedLong : .long)
        }
    }

    /// The value reduced to the bits of the type, as unsigned arithmetic and shifts do.
    private static func wrapped(_ value: Int128, _ scalar: Scalar) -> ConstantValue {
        let result: Int128 =
            switch scalar {
            case .unsignedLong: Int128(UInt64(truncatingIfNeeded: value))
            case .long: Int128(Int64(truncatingIfNeeded: value))
            case .unsignedInt: Int128(UInt32(truncatingIfNeeded: value))
            default: Int128(Int32(truncatingIfNeeded: value))
            }
        return ConstantValue(result, scalar)
    }

    /// nil if signed arithmetic overflows.
    private static func checked(_ value: Int128, _ scalar: Scalar) -> ConstantValue? {
        if scalar.isUnsigned { return wrapped(value, scalar) }
        return scalar.range.contains(value) ? ConstantValue(value, scalar) : nil
    }

    private static func truth(_ value: Bool) -> ConstantValue { ConstantValue(value ? 1 : 0, .int) }

    /// Applies `-`, `+`, `~` or `!`. Returns nil if the result does not fit the type.
    func applying(_ symbol: SourceSymbol) -> ConstantValue? {
        switch symbol {
        case .minus: ConstantValue.checked(-value, scalar)
        case .tilde: ConstantValue.wrapped(~value, scalar)
        case .exclamation: ConstantValue.truth(value == 0)
        default: self
        }
    }

    /// The type of an arithmetic operator's result. The right operand of a shift does not affect it.
    func resultType(_ symbol: SourceSymbol, _ other: ConstantValue) -> Scalar {
        symbol == .shiftLeft || symbol == .shiftRight ? scalar : ConstantValue.common(scalar, other.scalar)
    }

    /// Returns nil if the result is undefined in C, or if the operator is not one of constant expressions. A left shift
    /// never overflows, as in gcc.
    func combined(_ symbol: SourceSymbol, _ other: ConstantValue) -> ConstantValue? {
        switch symbol {
        case .andAnd: return .truth(value != 0 && other.value != 0)
        case .orOr: return .truth(value != 0 || other.value != 0)
        case .shiftLeft, .shiftRight:
            guard other.value >= 0, other.value < Int128(scalar.layout.size * 8) else { return nil }
            return .wrapped(symbol == .shiftLeft ? value << other.value : value >> other.value, scalar)
        default: break
        }
        let scalar = ConstantValue.common(scalar, other.scalar)
        let left = ConstantValue.wrapped(value, scalar).value
        let right = ConstantValue.wrapped(other.value, scalar).value
        switch symbol {
        case .plus: return .checked(left + right, scalar)
        case .minus: return .checked(left - right, scalar)
        case .star:
            let (product, overflow) = left.multipliedReportingOverflow(by: right)
            return overflow ? nil : .checked(product, scalar)
        case .slash: return right == 0 ? nil : .checked(left / right, scalar)
        case .percent: return right == 0 ? nil : .checked(left % right, scalar)
        case .ampersand: return .wrapped(left & right, scalar)
        case .bar: return .wrapped(left | right, scalar)
        case .caret: return .wrapped(left ^ right, scalar)
        case .less: return .truth(left < right)
        case .greater: return .truth(left > right)
        case .lessOrEqual: return .truth(left <= right)
        case .greaterOrEqual: return .truth(left >= right)
        case .equal: return .truth(left == right)
        case .notEqual: return .truth(left != right)
        default: return nil
        }
    }
}
