/// A C type of numbers, without its name.
enum NumberType: Equatable {
    case signed(Int)
    case unsigned(Int)
    case real(Int)
    case truth

    var isInteger: Bool {
        switch self {
        case .signed, .unsigned: true
        case .real, .truth: false
        }
    }

    /// The number type with these words; `nil` for a type that is no number or has an unknown name.
    init?(_ words: [String]) {
        let word = MemoryLayout<Int>.size
        switch words.sorted().joined(separator: " ") {
        case "bool", "_Bool": self = .truth
        case "float": self = .real(4)
        case "double": self = .real(8)
        case "double long": self = .real(16)
        case "int8_t", "char signed", "int_least8_t", "int_fast8_t": self = .signed(1)
        case "uint8_t", "char unsigned", "uint_least8_t", "uint_fast8_t": self = .unsigned(1)
        case "int16_t", "short", "short signed", "int short", "int short signed", "int_least16_t": self = .signed(2)
        case "uint16_t", "short unsigned", "int short unsigned", "uint_least16_t", "char16_t": self = .unsigned(2)
        case "int32_t", "int", "signed", "int signed", "int_least32_t", "wchar_t", "pid_t": self = .signed(4)
        case "uint32_t", "unsigned", "int unsigned", "uint_least32_t", "char32_t", "uid_t", "gid_t", "mode_t",
            "socklen_t":
            self = .unsigned(4)
        case "int64_t", "long long", "int long long", "long long signed", "int long long signed", "int_least64_t",
            "intmax_t":
            self = .signed(8)
        case "uint64_t", "long long unsigned", "int long long unsigned", "uint_least64_t", "uintmax_t":
            self = .unsigned(8)
        case "long", "int long", "long signed", "int long signed", "intptr_t", "ptrdiff_t", "ssize_t", "off_t",
            "time_t", "int_fast16_t", "int_fast32_t", "int_fast64_t":
            self = .signed(word)
        case "long unsigned", "int long unsigned", "uintptr_t", "size_t", "uint_fast16_t", "uint_fast32_t",
            "uint_fast64_t":
            self = .unsigned(word)
        default: return nil
        }
    }
}
