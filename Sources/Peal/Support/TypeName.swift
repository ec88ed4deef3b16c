internal import Synchronization

/// Names of Swift types, for services, modules and protocols that are given none.
enum TypeName {
    private struct Names {
        let full: String
        let ofProtocol: String
    }

    // Printing a type takes microseconds, and a get of a service by type needs the name.
    private static let names = Mutex<[ObjectIdentifier: Names]>([:])

    /// The type's name with its module and its enclosing types: `App.AccountService`, also for `any AccountService`.
    static func of(_ type: Any.Type) -> String { names(of: type).full }

    /// The same for a protocol in C, whose name has no dots: `App::Player::Events`.
    static func ofProtocol(_ type: Any.Type) -> String { names(of: type).ofProtocol }

    private static func names(of type: Any.Type) -> Names {
        if let known = names.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        let made = makeNames(of: type)
        names.withLock { $0[ObjectIdentifier(type)] = made }
        return made
    }

    private static func makeNames(of type: Any.Type) -> Names {
        let printed = String(reflecting: type)
        // A private type is printed with the address of its context: `App.(unknown context at $7f12).Bell`.
        let parts = printed.split(separator: ".").filter { !$0.hasPrefix("(unknown context at $") }
        let full = parts.joined(separator: ".")
        let isPrivate = full.utf8.count != printed.utf8.count
        // Services and modules of one name are refused. Protocols of one name are the same, so private types of two
        // files are distinguished by their identity.
        let identity = UInt(bitPattern: unsafeBitCast(type, to: UnsafeRawPointer.self))
        let suffix = isPrivate ? " #\(String(identity, radix: 16))" : ""
        return Names(full: full, ofProtocol: parts.joined(separator: "::") + suffix)
    }
}
