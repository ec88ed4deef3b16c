internal import CPeal

/// A description of C types, which ends with this value.
struct TypeDescription: ~Copyable {
    let type: UnsafePointer<peal_type>

    /// A type of a center: for example `const struct point *`.
    init(_ text: String, in center: peal_center) throws(PealError) {
        type = try Self.filled { peal_type_describe(center, text, $0) }
    }

    /// The prototype of a method.
    init(of method: peal_method) throws(PealError) {
        type = try Self.filled { peal_method_describe(method, $0) }
    }

    deinit { peal_type_destroy(type) }

    private static func filled(
        _ describe: (UnsafeMutablePointer<UnsafePointer<peal_type>?>) -> peal_status
    ) throws(PealError) -> UnsafePointer<peal_type> {
        var type: UnsafePointer<peal_type>?
        let status = describe(&type)
        guard let type else { throw PealError.failure(status) }
        return type
    }
}

/// Compares a type of Swift with a type of C, by the descriptions of both.
///
/// C's own comparison, `peal_method_check`, is stricter than Swift can be, and accepts whole prototypes only. A type of
/// Swift has a width and a sign: `Int64` is `long` as well as `long long`, `Int` is a `size_t` as the importer has it,
/// a number is an enumeration, and a raw pointer leads to anything.
struct TypeComparison {
    let center: peal_center

    /// - Parameter found: A parameter, a result or a property of the center.
    func fits(_ type: ValueType, _ found: peal_type) -> Bool {
        guard found.value_size == type.size, found.alignment == type.alignment else { return false }
        if type.type.fitsAnyPointer, found.kind == PEAL_KIND_POINTER { return true }
        // Equal texts are the same type, also where the center has no declaration of it.
        if String(cString: found.name) == type.type.text { return true }
        if type.type.isText, let target = found.target?.pointee, target.kind != PEAL_KIND_VOID,
            !target.isPlainCharacter
        {
            return false
        }
        guard let wanted = try? TypeDescription(type.type.text, in: center) else { return false }
        return Self.areSame(wanted.type.pointee, found) || (wanted.type.pointee.isByte && found.isPlainCharacter)
    }

    /// True if the types are the same apart from their qualifiers. Members are not compared, so the recursion ends.
    private static func areSame(_ wanted: peal_type, _ found: peal_type) -> Bool {
        switch wanted.kind {
        case PEAL_KIND_POINTER: found.kind == PEAL_KIND_POINTER && pointeesFit(wanted, found)
        case PEAL_KIND_SIGNED, PEAL_KIND_UNSIGNED: wanted.value_size == found.value_size && integersFit(wanted, found)
        default:
            wanted.kind == found.kind && String(cString: wanted.resolved_name) == String(cString: found.resolved_name)
        }
    }

    private static func integersFit(_ wanted: peal_type, _ found: peal_type) -> Bool {
        // C leaves open which integer an enumeration is.
        if found.kind == wanted.kind || found.kind == PEAL_KIND_ENUM { return true }
        // Swift's importer has sizes as Int.
        return wanted.kind == PEAL_KIND_SIGNED && found.kind == PEAL_KIND_UNSIGNED
            && String(cString: found.name) == "size_t"
    }

    /// Pointers match when they lead to the same type, equally constant, or one of them leads to void.
    private static func pointeesFit(_ wanted: peal_type, _ found: peal_type) -> Bool {
        guard let wanted = wanted.target?.pointee, let found = found.target?.pointee,
            wanted.is_const == found.is_const
        else { return false }
        return wanted.kind == PEAL_KIND_VOID || found.kind == PEAL_KIND_VOID || areSame(wanted, found)
    }
}

extension peal_type {
    /// True for C's `char`, which has a sign or none, as the machine decides.
    fileprivate var isPlainCharacter: Bool { String(cString: resolved_name) == "char" }

    fileprivate var isByte: Bool { value_size == 1 && (kind == PEAL_KIND_SIGNED || kind == PEAL_KIND_UNSIGNED) }
}
