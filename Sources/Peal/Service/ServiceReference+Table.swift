internal import CPeal

extension ServiceReference {
    /// Gets the instance as C has it, which is created on first use.
    ///
    /// - Throws: ``PealError`` as ``ServiceProvider/get()``.
    ///
    /// Any thread; it waits for creations. The C interface's `peal_service_use_instance`.
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
    /// Any thread; it waits for creations. The C interface's `peal_service_use_instance` and `peal_use_table`.
    public func use<Table: BitwiseCopyable>(
        of protocolName: String, as type: Table.Type = Table.self
    ) throws(PealError) -> TableUse<Table> {
        try NameList.check(protocolName, is: "the protocol's name")
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
