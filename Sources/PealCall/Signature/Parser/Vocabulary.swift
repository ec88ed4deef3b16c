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

    /// Words of C that peal does not support, each with the message of its error.
    static let refused: [String: String] = {
        var words: [String: String] = [:]
        for word in [
            "static", "extern", "register", "auto", "inline", "__inline", "__inline__", "_Noreturn",
            "constexpr", "thread_local", "_Thread_local", "__thread", "__extension__", "noreturn",
        ] {
            words[word] = "'\(word)' has no meaning for a call; remove it"
        }
        for word in ["__int128", "__int128_t", "__uint128_t", "_BitInt", "_ExtInt"] {
            words[word] = "'\(word)' is not supported; use a pointer or two 64-bit integers"
        }
        for word in [
            "_Decimal32", "_Decimal64", "_Decimal128", "_Float16", "__fp16", "__bf16", "_Float128",
            "__float128", "__ibm128", "_Imaginary",
            "imaginary",
        ] {
            words[word] = "'\(word)' is not supported; use float, double or long double"
        }
        for word in ["__attribute__", "__attribute", "__declspec", "_Alignas", "alignas"] {
            words[word] = "'\(word)' is not supported, it may change how the value is passed; remove it"
        }
        for word in ["typeof", "__typeof__", "__typeof", "typeof_unqual", "__auto_type"] {
            words[word] = "'\(word)' is not supported; write the type itself"
        }
        for word in ["_Static_assert", "static_assert", "__asm__", "__asm", "asm", "_Generic"] {
            words[word] = "'\(word)' has no place in a declaration of types; remove it"
        }
        words["typedef"] = "'typedef' has no place here; declare the name with peal_type_declare"
        return words
    }()

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
