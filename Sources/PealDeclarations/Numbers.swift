/// The numbers of C, as Swift has them.
enum Numbers {
    /// The Swift type for the sorted words of a C type; `nil` for a type that is no number. Swift's importer has sizes
    /// as Int.
    static func swift(_ words: [String]) -> String? {
        switch words.joined(separator: " ") {
        case "bool", "_Bool": "Bool"
        case "char": "CChar"
        case "char signed", "int8_t", "int_least8_t", "int_fast8_t": "Int8"
        case "char unsigned", "uint8_t", "uint_least8_t", "uint_fast8_t": "UInt8"
        case "short", "short signed", "int short", "int short signed", "int16_t", "int_least16_t": "Int16"
        case "short unsigned", "int short unsigned", "uint16_t", "uint_least16_t", "char16_t": "UInt16"
        case "int", "signed", "int signed", "int32_t", "int_least32_t", "pid_t", "wchar_t": "Int32"
        case "unsigned", "int unsigned", "uint32_t", "uint_least32_t", "char32_t", "uid_t", "gid_t", "mode_t",
            "socklen_t":
            "UInt32"
        case "int64_t", "long long", "int long long", "long long signed", "int long long signed", "int_least64_t",
            "intmax_t":
            "Int64"
        case "uint64_t", "long long unsigned", "int long long unsigned", "uint_least64_t", "uintmax_t": "UInt64"
        case "long", "int long", "long signed", "int long signed", "intptr_t", "ptrdiff_t", "ssize_t", "off_t",
            "time_t", "int_fast16_t", "int_fast32_t", "int_fast64_t", "size_t":
            "Int"
        case "long unsigned", "int long unsigned", "uintptr_t", "uint_fast16_t", "uint_fast32_t", "uint_fast64_t":
            "UInt"
        case "float": "Float"
        case "double": "Double"
        case "double long": longDouble
        default: nil
        }
    }

    /// The Swift type where no declaration of C can be added to it, so that the sign must be C's: of results, and of
    /// pointed-to numbers.
    static func exact(_ words: [String]) -> String? { words == ["size_t"] ? "UInt" : swift(words) }

    private static var longDouble: String? {
        #if arch(x86_64)
        "Float80"
        #else
        nil
        #endif
    }

    /// The C type that the Swift API writes for a Swift type.
    static func text(of swift: String) -> String {
        switch swift {
        case "Bool": "bool"
        case "Int8", "CChar": "int8_t"
        case "Int16": "int16_t"
        case "Int32": "int32_t"
        case "Int64": "int64_t"
        case "UInt8": "uint8_t"
        case "UInt16": "uint16_t"
        case "UInt32": "uint32_t"
        case "UInt64": "uint64_t"
        case "Int": "long"
        case "UInt": "unsigned long"
        case "Float": "float"
        case "Double": "double"
        case "Float80": "long double"
        case "String": "const char *"
        default: ""
        }
    }
}
