internal import CPeal

/// A use of a service's instance, with its table of C functions for a protocol: for services that were
/// made in C, and those of Swift that provide tables.
///
/// ```swift
/// let use = try center.anyService(providing: "Counter").use(of: "Counter", as: counter.self)
/// let next = withExtendedLifetime(use) { use.table.next(use.pointer) }
/// ```
///
/// The use ends with its last reference, which may be right after ``pointer`` was read: Swift releases a reference
/// after its last use, and does not follow pointers. So call the functions within `withExtendedLifetime`, as above,
/// or from an object that keeps the use in a property. In C, `struct peal_service_use`.
public final class TableUse<Table: BitwiseCopyable>: @unchecked Sendable {
    // Unchecked: the pointers lead to memory that does not change during the use, and functions of a service
    // may be called on any thread.

    /// The first argument of each function of the table. *Borrowed until* the use ends: keep the use.
    public let pointer: UnsafeMutableRawPointer
    /// The functions. Members that the service's own table lacks are nil.
    public let table: Table
    private let use: peal_use

    /// - Parameter use: *Consumed.*
    init(_ use: peal_use, pointer: UnsafeMutableRawPointer, table: Table) {
        self.use = use
        self.pointer = pointer
        self.table = table
    }

    deinit { _ = peal_use_release(use) }
}

/// A use of a service's instance in the form of C.
///
/// ```swift
/// let use = try center.anyService(named: "counter").usePointer()
/// withExtendedLifetime(use) { count_on(use.pointer) }
/// ```
///
/// The use ends with its last reference, which may be right after ``pointer`` was read. So use the pointer within
/// `withExtendedLifetime`, as above, or keep the use in a property. The C interface's `struct peal_service_use`.
public final class PointerUse: @unchecked Sendable {
    // Unchecked: the pointer is a value that does not change; what it leads to is between its users.

    /// The instance. *Borrowed until* the use ends: keep the use.
    public let pointer: UnsafeMutableRawPointer
    private let use: peal_use

    /// - Parameter use: *Consumed.*
    init(_ use: peal_use, pointer: UnsafeMutableRawPointer) {
        self.use = use
        self.pointer = pointer
    }

    deinit { _ = peal_use_release(use) }
}
