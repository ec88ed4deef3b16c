internal import Synchronization

/// Names of Swift types where none is given.
enum TypeName {
    // To print a type takes microseconds, and services are got by it.
    private static let names = Mutex<[ObjectIdentifier: String]>([:])

    /// The type's own name, without its module: `AccountService`, and `Account` for `any Account`.
    static func of(_ type: Any.Type) -> String {
        if let known = names.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        let printed = String(describing: type)
        let name = printed.hasPrefix("any ") ? String(printed.dropFirst(4)) : printed
        names.withLock { $0[ObjectIdentifier(type)] = name }
        return name
    }
}
