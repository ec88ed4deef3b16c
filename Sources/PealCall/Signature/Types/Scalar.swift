/// The arithmetic types of C, as the LP64 Linux machines have them.
public enum Scalar: Hashable, Sendable, CaseIterable {
    case bool
    case char, signedChar, unsignedChar
    case short, unsignedShort
    case int, unsignedInt
    case long, unsignedLong
    case longLong, unsignedLongLong
    case float, double, longDouble
    case complexFloat, complexDouble, complexLongDouble

    static var charIsUnsigned: Bool { Machine.charIsUnsigned }

    /// The type of `wchar_t`.
    static var wideCharacter: Scalar { Machine.wideCharacter }

    /// The one spelling that peal prints.
    public var spelling: String {
        switch self {
        case .bool: "bool"
        case .char: "char"
        case .signedChar: "signed char"
        case .unsignedChar: "unsigned char"
        case .short: "short"
        case .unsignedShort: "unsigned short"
        case .int: "int"
        case .unsignedInt: "unsigned int"
        case .long: "long"
        case .unsignedLong: "unsigned long"
        case .longLong: "long long"
        case .unsignedLongLong: "unsigned long long"
        case .float: "float"
        case .double: "double"
        case .longDouble: "long double"
        case .complexFloat: "float _Complex"
        case .complexDouble: "double _Complex"
        case .complexLongDouble: "long double _Complex"
        }
    }

    public var shape: ValueShape {
        switch self {
        case .bool: .bool
        case .char: Scalar.charIsUnsigned ? .uint8 : .int8
        case .signedChar: .int8
        case .unsignedChar: .uint8
        case .short: .int16
        case .unsignedShort: .uint16
        case .int: .int32
        case .unsignedInt: .uint32
        case .long, .longLong: .int64
        case .unsignedLong, .unsignedLongLong: .uint64
        case .float: .float
        case .double: .double
        case .longDouble: .longDouble
        case .complexFloat: .complexFloat
        case .complexDouble: .complexDouble
        case .complexLongDouble: .complexLongDouble
        }
    }

    public var layout: Layout {
        switch self {
        case .bool, .char, .signedChar, .unsignedChar: Layout(size: 1, alignment: 1)
        case .short, .unsignedShort: Layout(size: 2, alignment: 2)
        case .int, .unsignedInt, .float: Layout(size: 4, alignment: 4)
        case .long, .unsignedLong, .longLong, .unsignedLongLong, .double: Layout(size: 8, alignment: 8)
        case .longDouble: Layout(size: 16, alignment: 16)
        case .complexFloat: Layout(size: 8, alignment: 4)
        case .complexDouble: Layout(size: 16, alignment: 8)
        case .complexLongDouble: Layout(size: 32, alignment: 16)
        }
    }

    public var isComplex: Bool {
        switch self {
        case .complexFloat, .complexDouble, .complexLongDouble: true
        default: false
        }
    }

    /// `char` and the rest up to `unsigned long long`; `bool` is not among them.
    public var isInteger: Bool {
        switch self {
        case .bool, .float, .double, .longDouble: false
        default: !isComplex
        }
    }

    var isUnsigned: Bool {
        switch self {
        case .bool, .unsignedChar, .unsignedShort, .unsignedInt, .unsignedLong, .unsignedLongLong: true
        case .char: Scalar.charIsUnsigned
        default: false
        }
    }
}
