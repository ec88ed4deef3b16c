/// What tells two observers of one protocol apart: the target, or for those without one, the
/// functions.
enum ObserverKey: Hashable, Sendable {
    case target(UInt)
    case functions([UInt])

    init(target: UnsafeMutableRawPointer?, functions: FunctionTables) {
        if let target {
            self = .target(UInt(bitPattern: target))
        } else {
            self = .functions(functions.addresses)
        }
    }
}
