internal import CPeal

/// The instance of a service that is held, with its table of C functions for a protocol: for services that were
/// made in C, and those of Swift that provide tables.
///
/// ```swift
/// let use = try center.anyService(providing: "Counter").use(of: "Counter", as: counter.self)
/// let next = withExtendedLifetime(use) { use.table.next(use.pointer) }
/// ```
///
/// The use ends when nobody keeps it any more, which may be right after ``pointer`` was read: Swift lets a reference go
/// after its last use, and what a pointer leads to it does not see. So call the functions within
/// `withExtendedLifetime`, as above, or from an object that keeps the use in a property. In C,
/// `struct peal_service_use`.
public final class TableUse<Table: BitwiseCopyable>: @unchecked Sendable {
    // Unchecked: the pointers lead to what stays as it is while the use is held, and functions of a service
    // may be called on any thread.

    /// What each function of the table takes first. *Borrowed until* the use ends, and not longer: hold on to the use.
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
/// ```swift
/// let use = try center.anyService(named: "counter").usePointer()
/// withExtendedLifetime(use) { count_on(use.pointer) }
/// ```
///
/// The use ends when nobody keeps it any more, which may be right after ``pointer`` was read. So use the pointer within
/// `withExtendedLifetime`, as above, or keep the use in a property for as long. The C interface's `struct
/// peal_service_use`.
public final class PointerUse: @unchecked Sendable {
    // Unchecked: the pointer is a value that does not change; what it leads to is between its users.

    /// The instance. *Borrowed until* the use ends, and not longer: hold on to the use.
    public let pointer: UnsafeMutableRawPointer
    private let use: peal_use

    /// - Parameter use: *Consumed.*
    init(_ use: peal_use, pointer: UnsafeMutableRawPointer) {
        self.use = use
        self.pointer = pointer
    }

    deinit { _ = peal_use_end(use) }
}

/// Uses that last as long as the instance that was made with them.
final class UseKeeper {
    private var uses: [peal_use] = []

    func keep(_ use: peal_use) { uses.append(use) }

    deinit {
        for use in uses.reversed() { _ = peal_use_end(use) }
    }
}
