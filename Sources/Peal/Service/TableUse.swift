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
    // Unchecked: the pointer is a value that does not change; its users share the memory that it leads to.

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

extension ServiceReference {
    /// Gets the instance as C has it, which is created on first use.
    ///
    /// - Throws: ``PealError`` as ``ServiceProvider/get()``.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_service_use_instance`.
    public func usePointer() throws(PealError) -> PointerUse {
        let (use, pointer) = try takePointer()
        return PointerUse(use, pointer: pointer)
    }

    /// Gets the instance with its table for a protocol.
    ///
    /// - Parameters:
    ///   - protocolName: A protocol that the service provides.
    ///   - type: The struct that the protocol's list macro made, imported into Swift.
    /// - Throws: ``PealError``: ``Status/notFound`` when the service does not provide the protocol; the rest as
    ///   ``ServiceProvider/get()``.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_service_use_instance` and `peal_use_table`.
    public func use<Table: BitwiseCopyable>(
        of protocolName: String, as type: Table.Type = Table.self
    ) throws(PealError) -> TableUse<Table> {
        try CStrings.check(protocolName, is: "the protocol's name")
        let (use, pointer) = try takePointer()
        var table: UnsafeRawPointer?
        do throws(PealError) {
            try PealError.check(peal_use_table(use, protocolName, MemoryLayout<Table>.size, &table))
        } catch {
            _ = peal_use_release(use)
            throw error
        }
        guard let table else {
            _ = peal_use_release(use)
            throw PealError(
                status: .notFound, message: "the service has no table for the protocol \(protocolName)")
        }
        return TableUse(use, pointer: pointer, table: table.loadUnaligned(as: Table.self))
    }

    private func takePointer() throws(PealError) -> (peal_use, UnsafeMutableRawPointer) {
        var use = peal_service_use()
        try PealError.check(peal_service_use_instance(handle, &use))
        if let pointer = use.`self` { return (use.use, pointer) }
        _ = peal_use_release(use.use)
        throw PealError(status: .state, message: "the service has no instance")
    }
}
