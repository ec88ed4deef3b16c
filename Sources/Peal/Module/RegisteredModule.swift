public import CPeal

/// A module that was added to a center.
///
/// It is a value, and does not keep the module, which stays until ``remove()``, the end of its owner or of its center.
/// Any thread. The C interface's `peal_module`.
public struct RegisteredModule: Hashable, Sendable {
    /// The module in the C interface.
    public let handle: peal_module
    private let center: peal_center

    init(_ handle: peal_module, in center: peal_center) {
        self.handle = handle
        self.center = center
    }

    /// Its state.
    ///
    /// - Throws: ``PealError`` with ``Status/handle`` when it was removed.
    ///
    /// Any thread. The C interface's `peal_module_get_info`.
    public func info() throws(PealError) -> ModuleInfo {
        var info = peal_module_info()
        info.size = MemoryLayout<peal_module_info>.size
        try PealError.check(peal_module_get_info(handle, &info))
        return ModuleInfo(info, thrown: StepRegistry.sentence(of: String(pealArray: info.name), in: center))
    }

    /// Removes it: stops it if it runs, and waits for its calls and its stop, up to its time limit, without blocking a
    /// thread.
    ///
    /// - Returns: ``Ending/pending`` when a call of it, or its stop, may still run, since the time has passed, the task
    ///   was cancelled, or this is its own step.
    /// - Throws: ``PealError``: ``Status/state`` when a module that runs needs it; ``Status/handle``.
    ///
    /// Any task. The C interface's `peal_module_remove`.
    @discardableResult
    public func remove() async throws(PealError) -> Ending {
        let handle = handle
        if let step = StepAttempt.running(in: center), let own = try? info().name, own == step.module {
            return try step.endWithoutWaiting { () throws(PealError) in try Ending(checking: peal_module_remove(handle))
            }
        }
        return try await Blocking.run(cancelled: .success(.pending)) { () throws(PealError) in
            try Ending(checking: peal_module_remove(handle))
        }
    }

    /// Removes it as ``remove()`` does. It blocks the thread.
    ///
    /// - Returns: As ``remove()``; ``Ending/pending`` also from its own call.
    /// - Throws: As ``remove()``.
    ///
    /// Any thread that may block, also from a callback. The C interface's `peal_module_remove`.
    @available(*, noasync, message: "it blocks the thread: await remove instead")
    @discardableResult
    public func removeBlocking() throws(PealError) -> Ending { try Ending(checking: peal_module_remove(handle)) }

    /// True if both are the same module.
    public static func == (left: RegisteredModule, right: RegisteredModule) -> Bool {
        left.handle.id == right.handle.id
    }

    /// Hashes the handle.
    public func hash(into hasher: inout Hasher) { hasher.combine(handle.id) }
}
