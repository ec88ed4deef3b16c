/// The words that are not free to be names.
enum Vocabulary {
    /// Words of which arithmetic types are made.
    static let arithmeticWords: [String: ArithmeticWords.Word] = [
        "void": .void, "char": .char, "short": .short, "int": .int, "long": .long,
        "signed": .signed, "__signed": .signed, "__signed__": .signed, "unsigned": .unsigned,
        "float": .float, "double": .double, "bool": .bool, "_Bool": .bool,
        "complex": .complex, "_Complex": .complex, "__complex__": .complex,
        "_Float32": .float32, "_Float64": .float64, "_Float32x": .float64, "_Float64x": .float64x,
    ]

    /// Words in front of a function, or of a parameter, that do not affect the call.
    static let ignoredOfFunction: Set<String> = [
        "extern", "static", "inline", "__inline", "__inline__", "_Noreturn", "noreturn",
    ]
    static let ignoredOfParameter: Set<String> = ["register"]

    static let qualifiers: [String: Qualifiers] = [
        "const": .const, "__const": .const, "__const__": .const,
        "volatile": .volatile, "__volatile": .volatile, "__volatile__": .volatile,
        "restrict": .restrict, "__restrict": .restrict, "__restrict__": .restrict,
        "_Atomic": .atomic, "_Nonnull": .nonnull, "_Nullable": .nullable, "_Nullable_result": .nullableResult,
        "_Null_unspecified": .nullUnspecified,
    ]

    /// The words in front of a method's prototype.
    static let requirements = ["required", "optional"]

    static let tags: Set<String> = ["struct", "union", "enum"]

    static let bufferMarks: Set<String> = [
        "__counted_by", "__sized_by", "__counted_by_or_null", "__sized_by_or_null",
    ]

    /// Words of C that peal does not support.
    static let refused: [String: Refusal] = [
        "static": .isMeaningless, "extern": .isMeaningless, "register": .isMeaningless, "auto": .isMeaningless,
        "inline": .isMeaningless, "__inline": .isMeaningless, "__inline__": .isMeaningless,
        "_Noreturn": .isMeaningless, "noreturn": .isMeaningless, "constexpr": .isMeaningless,
        "thread_local": .isMeaningless, "_Thread_local": .isMeaningless, "__thread": .isMeaningless,
        "__extension__": .isMeaningless,
        "__int128": .isWideInteger, "__int128_t": .isWideInteger, "__uint128_t": .isWideInteger,
        "_BitInt": .isWideInteger, "_ExtInt": .isWideInteger,
        "_Decimal32": .isOtherNumber, "_Decimal64": .isOtherNumber, "_Decimal128": .isOtherNumber,
        "_Float16": .isOtherNumber, "__fp16": .isOtherNumber, "__bf16": .isOtherNumber,
        "_Float128": .isOtherNumber, "__float128": .isOtherNumber, "__ibm128": .isOtherNumber,
        "_Imaginary": .isOtherNumber, "imaginary": .isOtherNumber,
        "__attribute__": .changesPassing, "__attribute": .changesPassing, "__declspec": .changesPassing,
        "_Alignas": .changesPassing, "alignas": .changesPassing,
        "typeof": .namesTypeOf, "__typeof__": .namesTypeOf, "__typeof": .namesTypeOf,
        "typeof_unqual": .namesTypeOf, "__auto_type": .namesTypeOf,
        "_Static_assert": .isStatement, "static_assert": .isStatement, "__asm__": .isStatement,
        "__asm": .isStatement, "asm": .isStatement, "_Generic": .isStatement,
        "typedef": .declaresType,
    ]

    /// Why a word is not supported.
    enum Refusal {
        case isMeaningless, isWideInteger, isOtherNumber, changesPassing, namesTypeOf, isStatement, declaresType

        /// The end of the error's sentence, which begins with the word.
        var sentence: String {
            switch self {
            case .isMeaningless: "has no meaning for a call; remove it"
            case .isWideInteger: "is not supported; use a pointer or two 64-bit integers"
            case .isOtherNumber: "is not supported; use float, double or long double"
            case .changesPassing: "is not supported, it may change how the value is passed; remove it"
            case .namesTypeOf: "is not supported; write the type itself"
            case .isStatement: "has no place in a declaration of types; remove it"
            case .declaresType: "has no place here; declare the name with peal_type_declare"
            }
        }
    }

    /// The other keywords of C.
    static let statements: Set<String> = [
        "break", "case", "continue", "default", "do", "else", "for", "goto", "if", "return",
        "switch", "while", "nullptr", "true", "false",
    ]

    /// Words that begin a type in C++. C allows them as names, so they are looked for only where a
    /// type must stand.
    static let plusPlus: Set<String> = [
        "template", "typename", "class", "namespace", "using", "virtual", "operator", "explicit", "friend",
        "decltype", "mutable", "constinit", "consteval",
    ]

    /// Words that measure a type in a constant.
    static let measures: Set<String> = ["sizeof", "_Alignof", "alignof", "__alignof__", "__alignof"]

    /// Returns true if a word is a keyword that can only begin a type.
    static func beginsType(_ word: String) -> Bool {
        arithmeticWords[word] != nil || qualifiers[word] != nil || tags.contains(word)
    }

    static func isReserved(_ word: String) -> Bool {
        arithmeticWords[word] != nil || qualifiers[word] != nil || refused[word] != nil
            || tags.contains(word) || bufferMarks.contains(word)
            || statements.contains(word) || measures.contains(word)
    }
}
