/// Names of Swift types where none is given.
enum TypeName {
    /// The type's own name, without its module: `AccountService`, and `Account` for `any Account`.
    static func of(_ type: Any.Type) -> String {
        let name = String(describing: type)
        return name.hasPrefix("any ") ? String(name.dropFirst(4)) : name
    }
}
