internal import CPeal

/// True if a type of Swift matches a C prototype. Spellings differ: `int` is `int32_t`, and a typedef is the type
/// that it denotes.
///
/// C's own comparison, `peal_method_check`, is stricter than Swift can be, and accepts whole prototypes only. A type of
/// Swift has a width and a sign: `Int64` is `long` as well as `long long`, `Int` is a `size_t` as the importer has it,
/// a number is an enumeration, and a raw pointer leads to anything. A call of it would need all of these spellings for
/// each parameter, and the difference would still have to be described in terms of Swift.
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

    /// A name that peal defines may be declared again as the same type only.
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
