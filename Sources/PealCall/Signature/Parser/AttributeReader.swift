/// Finds attributes, and separates those that change neither a type nor a call from those that may.
///
/// peal does not check where C allows attributes. Lists of harmless attributes are skipped everywhere, and so are
/// `__extension__` and the linker's name in `__asm__("name")`.
struct AttributeReader {
    private let lexer: Lexer
    private var index = 0
    private var tokens: [SourceToken] = []
    /// For each list with a harmful attribute, the first such attribute, by the offset of the list.
    private var harmful: [Int: String] = [:]

    static func read(_ lexer: Lexer) -> (tokens: [SourceToken], harmful: [Int: String]) {
        var reader = AttributeReader(lexer: lexer)
        while reader.index < lexer.tokens.count { reader.takeNext() }
        return (reader.tokens, reader.harmful)
    }

    private init(lexer: Lexer) {
        self.lexer = lexer
    }

    private func token(_ index: Int) -> SourceToken { lexer.tokens[min(index, lexer.tokens.count - 1)] }

    private func isSymbol(_ symbol: SourceSymbol, at index: Int) -> Bool { token(index).kind == .symbol(symbol) }

    /// Keeps the token at the cursor, or skips the attributes that begin there.
    private mutating func takeNext() {
        let first = token(index)
        var end: Int?
        if first.kind == .symbol(.attribute) {
            end = list(from: index + 1, closedBy: .closingBracket)
        } else if first.kind == .name {
            switch lexer.text(of: first) {
            case "__extension__": end = index + 1
            case "__attribute__", "__attribute":
                guard isSymbol(.parenthesis, at: index + 1), isSymbol(.parenthesis, at: index + 2) else { break }
                end = list(from: index + 3, closedBy: .closingParenthesis)
            case "__asm__", "__asm", "asm": end = linkName(from: index + 1)
            default: break
            }
        }
        if end == nil { tokens.append(first) }
        index = end ?? index + 1
    }

    /// Reads `name, name(arguments), …` up to two closing signs.
    ///
    /// - Returns: The index after a list of harmless attributes; nil for any other.
    private mutating func list(from start: Int, closedBy close: SourceSymbol) -> Int? {
        let begin = token(index).start
        var next = start
        while token(next).kind != .end {
            if isSymbol(close, at: next), isSymbol(close, at: next + 1) {
                return harmful[begin] == nil ? next + 2 : nil
            }
            if isSymbol(.comma, at: next) || isSymbol(.scope, at: next) {
                next += 1
            } else if isSymbol(.parenthesis, at: next) {
                guard let end = group(from: next) else { return nil }
                next = end
            } else {
                guard token(next).kind == .name else { return nil }
                // `gnu::pure`: the name in front of the sign is a vendor's prefix.
                let name = lexer.text(of: token(next))
                let isPrefix = isSymbol(.scope, at: next + 1)
                if !isPrefix, !Self.isHarmless(name), harmful[begin] == nil { harmful[begin] = name }
                next += 1
            }
        }
        return nil
    }

    /// - Returns: The index after the parenthesis that closes the one at `start`.
    private func group(from start: Int) -> Int? {
        var depth = 0
        for next in start..<lexer.tokens.count {
            if isSymbol(.parenthesis, at: next) { depth += 1 }
            if isSymbol(.closingParenthesis, at: next) { depth -= 1 }
            if depth == 0 { return next + 1 }
        }
        return nil
    }

    /// `("name")`, in one string or more.
    private func linkName(from start: Int) -> Int? {
        guard isSymbol(.parenthesis, at: start), token(start + 1).kind == .string else { return nil }
        var next = start + 1
        while token(next).kind == .string { next += 1 }
        return isSymbol(.closingParenthesis, at: next) ? next + 1 : nil
    }

    private static func isHarmless(_ name: String) -> Bool {
        let isGuarded = name.count > 4 && name.hasPrefix("__") && name.hasSuffix("__")
        return harmless.contains(isGuarded ? String(name.dropFirst(2).dropLast(2)) : name)
    }

    /// Attributes for the optimizer, the linker and the reader. An attribute that is not here may change a
    /// layout or a call, as `packed`, `aligned`, `vector_size`, `mode`, `ms_abi` and `regparm` do.
    private static let harmless: Set<String> = [
        "nothrow", "leaf", "pure", "const", "malloc", "noreturn", "returns_twice", "returns_nonnull", "nonnull",
        "nonnull_if_nonzero", "deprecated", "unavailable", "availability", "warning", "error", "format", "format_arg",
        "sentinel", "warn_unused_result", "nodiscard", "unused", "maybe_unused", "used", "retain", "cold", "hot",
        "artificial", "always_inline", "noinline", "gnu_inline", "flatten", "noclone", "noipa", "nomerge", "nodebug",
        "no_icf", "no_reorder", "optimize", "weak", "weakref", "weak_import", "alias", "ifunc", "copy", "section",
        "visibility", "externally_visible", "dllimport", "dllexport", "constructor", "destructor", "access",
        "alloc_size", "alloc_align", "assume_aligned", "fd_arg", "fd_arg_read", "fd_arg_write",
        "null_terminated_string_arg", "tainted_args", "no_instrument_function", "no_profile_instrument_function",
        "no_sanitize", "no_sanitize_address", "no_sanitize_thread", "no_sanitize_undefined", "no_stack_protector",
        "no_split_stack", "no_stack_limit", "patchable_function_entry", "stack_protect", "symver", "may_alias",
        "designated_init", "cleanup", "nonstring", "counted_by", "enum_extensibility", "flag_enum", "closed",
        "swift_name",
        "swift_private", "annotate", "diagnose_if", "enable_if", "pass_object_size", "fallthrough", "reproducible",
        "unsequenced", "noescape", "warn_if_not_aligned", "ns_returns_retained", "cf_returns_retained",
        "ownership_returns", "ownership_takes", "ownership_holds", "zero_call_used_regs", "expected_throw",
        "guard_nocf", "nocf_check", "cf_check", "speculative_load_hardening", "analyzer_noreturn", "internal_linkage",
        "exclude_from_explicit_instantiation", "abi_tag", "noplt", "target", "target_clones", "type_visibility",
    ]
}
