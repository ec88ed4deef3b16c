// Parses random bytes as prototypes, declarations and encodings. No input may trap, and each printed
// text must be parsed to the same value again.
//
// Each input is parsed three times: as a method; as `selector encoding`; and as declarations, with a
// method after `---` that may use them.
//
// Claims: F1, P8

/// The declarations in the scope of every input, so that short inputs reach structs and typedefs.
private let base: TypeScope = {
    var scope = TypeScope()
    do throws(SyntaxError) {
        try scope.declare(
            """
            struct point { double x, y; }; struct later; enum color { RED, GREEN = 3 };
            typedef struct { uint8_t bytes[16]; } id16_t; typedef const char *text_t;
            typedef int (*compare_t)(const void *, const void *); typedef int32_t vector_t[3];
            """)
    } catch {
        fatalError(error.sentence)
    }
    return scope
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    tryMethod(text, in: base)
    tryEncoding(text)
    tryDeclarations(text)
    return 0
}

private func tryMethod(_ text: String, in scope: TypeScope) {
    do throws(SyntaxError) {
        let method = try MethodDeclaration(text, in: scope)
        // The printed text may be longer than the input, and exceed a limit that the input does not.
        let again: MethodDeclaration? = try unlessLimited(method.description) { printed throws(SyntaxError) in
            try MethodDeclaration(printed, in: scope)
        }
        if let again {
            check(again == method, "another method", method.description)
            check(method.firstDifference(from: again) == nil, "a difference", method.description)
            check(again.description == method.description, "another print", method.description)
        }
        checkTypes(of: method.signature, in: scope)
        checkCanonicalText(of: method, in: scope)
    } catch {
        checkError(error, text)
    }
}

/// Checks that an empty scope which reads the canonical text has the same one. Its last line is the method.
private func checkCanonicalText(of method: MethodDeclaration, in scope: TypeScope) {
    let text = canonicalText(of: method, in: scope)
    let lines = text.utf8.dropLast()
    let begin = lines.lastIndex(of: UInt8(ascii: "\n")).map { lines.index(after: $0) } ?? lines.startIndex
    do throws(SyntaxError) {
        let again: String? = try unlessLimited(text) { _ throws(SyntaxError) in
            var empty = TypeScope()
            if begin > lines.startIndex { try empty.declare(String(decoding: lines[..<begin], as: UTF8.self)) }
            let read = try MethodDeclaration(String(decoding: lines[begin...], as: UTF8.self), in: empty)
            return canonicalText(of: read, in: empty)
        }
        if let again { check(again == text, "another canonical text", text + again) }
    } catch {
        check(false, error.sentence, text)
    }
    _ = TypeGraph(method.signature, in: scope)
}

private func canonicalText(of method: MethodDeclaration, in scope: TypeScope) -> String {
    var text = CanonicalText(in: scope)
    text.add(method)
    return text.text
}

private func tryEncoding(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    let selector = parts.count == 2 ? String(parts[0]) : "f:"
    let encoding = parts.count == 2 ? String(parts[1]) : text
    do throws(SyntaxError) {
        let signature = try Signature(objCName: selector, encoding: encoding)
        var scope = TypeScope()
        for parameter in signature.parameters where parameter.type == plainString {
            check(parameter.ownership == .string, "no string", signature.description)
        }
        var types = signature.parameters.map { $0.type }
        types.append(signature.result)
        // Two structs of one name, or a struct without one, cannot be written in C.
        for type in types where !declare(type, in: &scope) { return }
        let again: Signature? = try unlessLimited(signature.description) { printed throws(SyntaxError) in
            do throws(SyntaxError) {
                return try Signature(printed, in: scope)
            } catch {
                // One name for a struct and for a union cannot be written in C either.
                if error.kind == .conflict { return nil }
                throw error
            }
        }
        guard let again else { return }
        check(again.result == signature.result, "another result", signature.description)
        check(
            again.parameters.map { $0.type } == signature.parameters.map { $0.type }, "other parameters",
            signature.description)
        check(
            again.parameters.map { $0.ownership } == signature.parameters.map(ownershipInC), "another ownership",
            signature.description)
        check(
            signature.firstDifference(from: again, asFunctions: true) == nil, "a difference", signature.description)
    } catch {
        checkError(error, text)
    }
}

private let plainString = CType.pointer(to: QualifiedType(.scalar(.char)))

/// Returns the ownership of a parameter in C. `*` in an encoding is a string, but in C only `const char *` is.
private func ownershipInC(_ parameter: Parameter) -> Ownership {
    parameter.type == plainString ? .bare : parameter.ownership
}

private func tryDeclarations(_ text: String) {
    let parts = splitDeclarations(text)
    var scope = base
    do throws(SyntaxError) {
        try scope.declare(parts[0])
        try scope.declare(parts[0])
    } catch {
        checkError(error, text)
        var untouched = base
        // The first declaration must have failed, because the same text can always be declared again.
        check((try? untouched.declare(parts[0])) == nil, "a different second time", text)
        return
    }
    if parts.count == 2 { tryMethod(parts[1], in: scope) }
    _ = try? scope.layout(of: parts.count == 2 ? parts[1] : text)
}

/// Returns the texts before and after the first `---`. Embedded Swift can split at single characters only.
private func splitDeclarations(_ text: String) -> [String] {
    let bytes = Array(text.utf8)
    guard let dashes = bytes.indices.first(where: { bytes[$0...].starts(with: Array("---".utf8)) }) else {
        return [text]
    }
    return [bytes[..<dashes], bytes[(dashes + 3)...]].map { String(decoding: $0, as: UTF8.self) }
}

/// Checks that the scope accepts each printed struct as a declaration of the same struct.
private func checkTypes(of signature: Signature, in scope: TypeScope) {
    for type in signature.parameters.map { $0.type } + [signature.result] {
        _ = type.shape
        guard case .structure(let structure) = type.unaliased, !structure.name.isEmpty else { continue }
        check(type.layout != nil, "no layout", signature.description)
        var copy = scope
        do throws(SyntaxError) {
            _ = try unlessLimited(structure.definition) { printed throws(SyntaxError) in try copy.declare(printed) }
        } catch {
            check(false, error.sentence, structure.definition)
        }
    }
}

/// Declares the structs of an encoding, inner ones first.
private func declare(_ type: CType, in scope: inout TypeScope) -> Bool {
    switch type {
    case .array(let element, _): return declare(element.type, in: &scope)
    case .structure(let structure):
        guard let body = structure.body else { return true }
        if !structure.isTagged { return false }
        for member in body.members where !declare(member.type.type, in: &scope) { return false }
        return (try? scope.declare(structure.definition)) != nil
    default: return true
    }
}

/// Returns the result of parsing a printed text; nil if the text exceeds a limit.
private func unlessLimited<Result>(
    _ printed: String, _ read: (String) throws(SyntaxError) -> Result?
) throws(SyntaxError) -> Result? {
    do throws(SyntaxError) {
        return try read(printed)
    } catch {
        check(error.kind == .limit, error.sentence, printed)
        return nil
    }
}

private func checkError(_ error: SyntaxError, _ text: String) {
    check(error.column >= 1 && error.column <= text.utf8.count + 1, "a column outside", error.sentence)
    check(!error.message.isEmpty, "no message", text)
    _ = error.excerpt(of: text)
}

private func check(_ fact: Bool, _ what: String, _ text: String) {
    if !fact { fatalError("\(what): \(text)") }
}
