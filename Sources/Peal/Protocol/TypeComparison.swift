internal import CPeal

/// Compares a type of Swift with a type in a C prototype. Spellings differ: `int` is `int32_t`, and a typedef is the
/// type that it denotes.
///
/// C's own comparison, `peal_method_check`, is stricter than Swift can be, and accepts whole prototypes only. A type of
/// Swift has a width and a sign: `Int64` is `long` as well as `long long`, `Int` is a `size_t` as the importer has it,
/// a number is an enumeration, and a raw pointer leads to anything. A call of `peal_method_check` would need all of
/// these spellings for each parameter, and the difference would still have to be described in terms of Swift.
struct TypeComparison {
    let center: peal_center
    /// The type in C.
    let text: String
    let size: Int
    let alignment: Int

    func fits(_ type: ValueType) -> Bool {
        guard size == type.size, alignment == type.alignment else { return false }
        let wanted = CText.tokens(of: type.type.text)
        let found = CText.tokens(of: text)
        let isPointer = found.contains("*")
        if type.type.fitsAnyPointer, isPointer { return true }
        if isPointer != wanted.contains("*") { return isSameByTypedef(type) }
        return isPointer ? Self.pointersFit(wanted, found) : valuesFit(type, wanted, found)
    }

    private func valuesFit(_ type: ValueType, _ wanted: [String], _ found: [String]) -> Bool {
        let wanted = wanted.filter { $0 != "const" }
        let found = found.filter { $0 != "const" }
        if wanted == found { return true }
        let number = NumberType(wanted)
        // Swift's importer has sizes as Int.
        if found == ["size_t"], number == .signed(MemoryLayout<Int>.size) { return true }
        // C's char is signed or not, as the machine has it.
        if found == ["char"], number == .signed(1) || number == .unsigned(1) { return true }
        if let other = NumberType(found) { return number == other }
        // C leaves open which integer an enumeration is; the size has been compared.
        if found.first == "enum" { return number?.isInteger ?? false }
        return isSameByTypedef(type)
    }

    /// True if the text is a typedef of the type. peal accepts a second declaration of a name only with the same type.
    private func isSameByTypedef(_ type: ValueType) -> Bool {
        guard text.allSatisfy(Declarations.isPartOfName) else { return false }
        let known = Status(peal_type_layout(center, text, nil, nil))
        return !known.isFailure && peal_type_declare(center, "typedef \(type.type.text) \(text);") == PEAL_OK
    }

    /// Pointers match when their pointed-to types are the same, or one of these is not declared.
    private static func pointersFit(_ wanted: [String], _ found: [String]) -> Bool {
        guard let end = wanted.lastIndex(of: "*"), let foundEnd = found.lastIndex(of: "*") else { return false }
        let pointee = wanted[..<end]
        let foundPointee = found[..<foundEnd]
        guard isConstant(pointee) == isConstant(foundPointee) else { return false }
        if pointee.contains("*") && foundPointee.contains("*") {
            return pointersFit(Array(pointee), Array(foundPointee))
        }
        let words = pointee.filter { $0 != "const" }
        let foundWords = foundPointee.filter { $0 != "const" }
        if words == foundWords || words == ["void"] || foundWords == ["void"] { return true }
        guard let number = NumberType(words) else { return false }
        return number == NumberType(foundWords)
    }

    /// True if the pointed-to type is constant: the word is after its last star, or among the words of its type.
    private static func isConstant(_ pointee: ArraySlice<String>) -> Bool {
        let start = pointee.lastIndex(of: "*").map { $0 + 1 } ?? pointee.startIndex
        return pointee[start...].contains("const")
    }
}

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

/// Information from C declarations as the C interface prints them.
enum CText {
    /// The options after the prototype, between commas.
    static func options(of declaration: String) -> [String] {
        var depth = 0
        var parts = [""]
        for character in declaration {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if character == ",", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
        }
        return parts.dropFirst().map { String($0.drop { $0 == " " }) }
    }

    /// The policy among the options of a declaration; without one, the C interface's default.
    static func policy(of declaration: String, hasResult: Bool) -> Policy {
        options(of: declaration).lazy.compactMap { Policy(text: $0) }.first ?? (hasResult ? .last : .all)
    }

    /// The words and signs of a type, without the qualifiers that change nothing for a value.
    static func tokens(of type: String) -> [String] {
        var tokens: [String] = []
        var isInWord = false
        for character in type {
            let isPartOfWord = Declarations.isPartOfName(character)
            if isPartOfWord, isInWord {
                tokens[tokens.count - 1].append(character)
            } else if character != " " {
                tokens.append(String(character))
            }
            isInWord = isPartOfWord
        }
        let ignored: Set = ["restrict", "volatile", "_Nullable", "_Nonnull", "_Atomic"]
        return tokens.filter { !ignored.contains($0) }
    }
}
