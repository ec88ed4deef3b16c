/// The type names of the C library, as glibc has them on LP64 machines.
enum StandardTypes {
    /// Names of the C standard: they cannot be redefined.
    static let fixed: [String: Scalar] = [
        "int8_t": .signedChar, "int16_t": .short, "int32_t": .int, "int64_t": .long,
        "uint8_t": .unsignedChar, "uint16_t": .unsignedShort, "uint32_t": .unsignedInt, "uint64_t": .unsignedLong,
        "int_least8_t": .signedChar, "int_least16_t": .short, "int_least32_t": .int, "int_least64_t": .long,
        "uint_least8_t": .unsignedChar, "uint_least16_t": .unsignedShort, "uint_least32_t": .unsignedInt,
        "uint_least64_t": .unsignedLong,
        "int_fast8_t": .signedChar, "int_fast16_t": .long, "int_fast32_t": .long, "int_fast64_t": .long,
        "uint_fast8_t": .unsignedChar, "uint_fast16_t": .unsignedLong, "uint_fast32_t": .unsignedLong,
        "uint_fast64_t": .unsignedLong,
        "intptr_t": .long, "uintptr_t": .unsignedLong, "intmax_t": .long, "uintmax_t": .unsignedLong,
        "size_t": .unsignedLong, "ptrdiff_t": .long, "wchar_t": Scalar.wideCharacter, "wint_t": .unsignedInt,
        "char8_t": .unsignedChar, "char16_t": .unsignedShort, "char32_t": .unsignedInt,
        "time_t": .long, "clock_t": .long, "sig_atomic_t": .int,
    ]

    /// Names of POSIX and of the system. A program that does not use them may declare its own types
    /// of these names.
    static let customary: [String: Scalar] = [
        "ssize_t": .long, "off_t": .long, "off64_t": .long, "loff_t": .long, "pid_t": .int, "uid_t": .unsignedInt,
        "gid_t": .unsignedInt, "id_t": .unsignedInt, "mode_t": .unsignedInt, "dev_t": .unsignedLong,
        "ino_t": .unsignedLong, "ino64_t": .unsignedLong, "key_t": .int, "clockid_t": .int,
        "socklen_t": .unsignedInt, "sa_family_t": .unsignedShort, "in_addr_t": .unsignedInt,
        "in_port_t": .unsignedShort, "useconds_t": .unsignedInt, "suseconds_t": .long, "blkcnt_t": .long,
        "fsblkcnt_t": .unsignedLong, "fsfilcnt_t": .unsignedLong, "rlim_t": .unsignedLong, "nfds_t": .unsignedLong,
        "pthread_t": .unsignedLong, "pthread_key_t": .unsignedInt,
        "u_char": .unsignedChar, "u_short": .unsignedShort, "u_int": .unsignedInt, "u_long": .unsignedLong,
        "uchar": .unsignedChar, "ushort": .unsignedShort, "uint": .unsignedInt, "ulong": .unsignedLong,
        "u_int8_t": .unsignedChar, "u_int16_t": .unsignedShort, "u_int32_t": .unsignedInt,
        "u_int64_t": .unsignedLong,
    ]

    static let variadicLists: Set<String> = ["va_list", "__builtin_va_list", "__gnuc_va_list"]

    static func alias(named name: String) -> Alias? {
        fixedAlias(named: name) ?? customary[name].map { Alias(name: name, target: QualifiedType(.scalar($0))) }
    }

    private static let known = Guarded<[String: Alias]>([:])

    /// The alias as a type. Signatures share the aliases that were requested before, which are never freed.
    static func type(named name: String) -> CType? {
        known.withLock { known in
            if let alias = known[name] { return .alias(alias) }
            guard let alias = alias(named: name) else { return nil }
            known[name] = alias
            return .alias(alias)
        }
    }

    /// The alias of a name of the C standard or of peal. A program may declare such a name only with the same type.
    static func fixedAlias(named name: String) -> Alias? {
        let type: CType? = HandleType(rawValue: name).map { .handle($0) } ?? fixed[name].map { .scalar($0) }
        return type.map { Alias(name: name, target: QualifiedType($0)) }
    }
}
