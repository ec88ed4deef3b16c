internal import CPeal

/// The instance of a service that is held, with its table of C functions for a protocol: for services that were
/// made in C, and those of Swift that provide tables.
///
/// ```swift
/// let counter = try center.service(providing: "Counter").use(of: "Counter", as: counter.self)
/// let next = counter.table.next(counter.pointer)
/// ```
///
/// The use ends when nobody keeps it any more. In C, `struct peal_service_use`.
public final class TableUse<Table: BitwiseCopyable>: @unchecked Sendable {
    // Unchecked: the pointers lead to what stays as it is while the use is held, and functions of a service
    // may be called on any thread.

    /// What each function of the table takes first. *Borrowed until* the use ends.
    public let pointer: UnsafeMutableRawPointer
    /// The functions. What the service's own table lacks is nil.
    public let table: Table
    private let use: peal_use

    /// - Parameter use: *Consumed.*
    init(_ use: peal_use, pointer: UnsafeMutableRawPointer, table: Table) {
        self.use = use
        self.pointer = pointer
        self.table = table
    }

    deinit { _ = peal_use_end(use) }
}

/// The instance of a service that is held, as C has it.
///
/// The use ends when nobody keeps it any more. In C, `struct peal_service_use`.
public final class PointerUse: @unchecked Sendable {
    // Unchecked: the pointer is a value that does not change; what it leads to is between its users.

    /// The instance. *Borrowed until* the use ends.
    public let pointer: UnsafeMutableRawPointer
    private let use: peal_use

    /// - Parameter use: *Consumed.*
    init(_ use: peal_use, pointer: UnsafeMutableRawPointer) {
        self.use = use
        self.pointer = pointer
    }

    deinit { _ = peal_use_end(use) }
}
