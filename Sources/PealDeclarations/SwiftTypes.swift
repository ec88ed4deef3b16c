/// A parameter of a Swift method: one of C, or a counted buffer of two.
struct SwiftParameter {
    let type: String
    /// The argument of `parameters:`, a name or the declarations of C.
    let text: String
    /// The number of parameters in C.
    var count = 1
}

/// The types of C that a Swift method takes and returns.
struct SwiftTypes {
    let declared: DeclaredTypes
    /// True if types of unknown names are imported by the generated file.
    let importsTypes: Bool

    /// The reason why a type has no Swift, with the remedy.
    struct Refusal: Error {
        let reason: String
    }

    /// The parameter that begins with the first declaration.
    func parameter(_ declarations: ArraySlice<CDeclaration>, of all: [CDeclaration]) throws(Refusal) -> SwiftParameter {
        guard let declaration = declarations.first else { throw Refusal(reason: "There is no declaration.") }
        try check(declaration)
        if let buffer = buffer(declaration, declarations.dropFirst().first, of: all) { return buffer }
        let swift = try value(declaration)
        let isNamed = !declaration.name.isEmpty
        // The type that the Swift API writes is C's.
        let bare = isNamed ? trimmed(declaration.text, of: declaration.name) : declaration.text
        if Numbers.text(of: swift) == bare { return SwiftParameter(type: swift, text: declaration.name) }
        // A single word would be a name.
        let isWord = declaration.text.allSatisfy(isPartOfName)
        return SwiftParameter(type: swift, text: isWord ? declaration.text + " " : declaration.text)
    }

    /// The result of a method.
    func result(_ declaration: CDeclaration) throws(Refusal) -> String {
        try check(declaration)
        if declaration.depth == 0, declaration.words == ["void"] { return "Void" }
        if declaration.words == ["peal_completion"] {
            throw Refusal(reason: "A completion is no result; make it a parameter of a method that returns void.")
        }
        if declaration.depth == 1, declaration.isPointeeConstant, !declaration.isVolatile,
            let pointee = Numbers.exact(declaration.words), pointee != "Bool"
        {
            return "UnsafePointer<\(pointee)>?"
        }
        if declaration.depth == 0, let number = Numbers.exact(declaration.words) { return number }
        return declaration.depth > 0 ? Self.pointer(declaration) : try value(declaration)
    }

    private func check(_ declaration: CDeclaration) throws(Refusal) {
        if declaration.text == "..." {
            throw Refusal(reason: "A method has a fixed number of parameters; write a counted buffer.")
        }
        if let mistake = declaration.mistake {
            throw Refusal(reason: "It has \(mistake), which is not read here; write a type that has a name.")
        }
        if declaration.text.contains("\"") || declaration.text.contains("\\") {
            throw Refusal(reason: "It has a text or a backslash, which is not copied to Swift; remove it.")
        }
    }

    /// A counted buffer as an array, and a pointer to one number as an optional; `nil` for other declarations.
    private func buffer(_ declaration: CDeclaration, _ next: CDeclaration?, of all: [CDeclaration]) -> SwiftParameter? {
        guard declaration.marks.count == 1, declaration.depth == 1, declaration.isPointeeConstant, !declaration.isArray,
            !declaration.isFunction, !declaration.isVolatile, !declaration.name.isEmpty
        else { return nil }
        let mark = declaration.marks[0]
        if mark.kind == "__counted_by_or_null", mark.length == "1" {
            guard let number = Numbers.exact(declaration.words), number != "CChar" else { return nil }
            return SwiftParameter(type: "\(number)?", text: declaration.text)
        }
        guard let next, next.name == mark.length, next.depth == 0,
            Self.counts.contains(next.words.joined(separator: " ")),
            // Another buffer of the same length needs its number too.
            all.count(where: { $0.marks.contains { $0.length == next.name } }) == 1,
            let element = element(declaration, isBytes: mark.kind.hasPrefix("__sized_by"))
        else { return nil }
        return SwiftParameter(type: "[\(element)]", text: "\(declaration.text), \(next.text)", count: 2)
    }

    /// The types that an array's number of elements has.
    private static let counts: Set = [
        "size_t", "ssize_t", "ptrdiff_t", "long", "int long", "int64_t", "long long", "int long long",
    ]

    private func element(_ declaration: CDeclaration, isBytes: Bool) -> String? {
        if isBytes {
            let bytes = [
                "void": "UInt8", "char": "CChar", "uint8_t": "UInt8", "char unsigned": "UInt8", "int8_t": "Int8",
            ]
            return bytes[declaration.words.joined(separator: " ")]
        }
        if let number = Numbers.exact(declaration.words) { return number == "Bool" ? nil : number }
        return declared.structs[declaration.baseText].flatMap { $0.obstacle == nil ? $0.swiftName : nil }
    }

    private func value(_ declaration: CDeclaration) throws(Refusal) -> String {
        if declaration.isFunction { return "OpaquePointer?" }
        if declaration.depth == 1, declaration.words == ["char"], declaration.isPointeeConstant, !declaration.isArray,
            declaration.marks.isEmpty, !declaration.isVolatile
        {
            return declaration.isNullable ? "String?" : "String"
        }
        if declaration.depth > 0 { return Self.pointer(declaration) }
        if declaration.words == ["peal_completion"] { return "Completion" }
        if let number = Numbers.swift(declaration.words) { return number }
        // C's enumerations without negative values.
        if declaration.tag == "enum", !importsTypes { return "UInt32" }
        return try structure(declaration)
    }

    private func structure(_ declaration: CDeclaration) throws(Refusal) -> String {
        let type = declaration.baseText
        if type == "void" { throw Refusal(reason: "A parameter has a type; write one, or (void) for no parameters.") }
        if type.hasPrefix("peal_") {
            throw Refusal(
                reason: "Swift receives no handle but peal_completion; pass the name of the object as const char *.")
        }
        if type == "va_list" || type.contains("_Complex") || type.contains("__int128") || type.hasPrefix("_") {
            throw Refusal(reason: "Swift has no such type; pass a pointer or a counted buffer.")
        }
        if importsTypes { return declaration.words.first { $0 != declaration.tag } ?? type }
        if declaration.tag == "union" { throw Refusal(reason: "Swift receives no union; pass a pointer to it.") }
        guard let found = declared.structs[type] else {
            throw Refusal(
                reason:
                    "No PEAL_TYPE of these headers declares it as a struct; add one, pass a pointer, or name the Swift "
                    + "module that has the type by '--import MODULE'.")
        }
        if let obstacle = found.obstacle {
            throw Refusal(
                reason: "The struct \(obstacle); pass a pointer, or name the Swift module that has the type by "
                    + "'--import MODULE'.")
        }
        return found.swiftName
    }

    /// A pointer without a length. It fits every C pointer with the same constancy.
    static func pointer(_ declaration: CDeclaration) -> String {
        declaration.isPointeeConstant ? "UnsafeRawPointer?" : "UnsafeMutableRawPointer?"
    }

    private func trimmed(_ text: String, of name: String) -> String {
        let type = text.dropLast(name.count)
        return String(type.last == " " ? type.dropLast() : type)
    }
}
