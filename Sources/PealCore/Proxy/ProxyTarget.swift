internal import CPealSupport

/// The one target of a proxy, in a list of its own. Operations that end observers treat the target as an observer.
struct ProxyTarget: @unchecked Sendable {
    // Unchecked: the pointed-to memory changes atomically.

    typealias Pointer = UnsafeMutablePointer<peal_proxy_target>

    let memory: Pointer
    let list: Snapshot

    var record: UnsafeMutablePointer<ObserverRecord> {
        UnsafeMutableRawPointer(memory).assumingMemoryBound(to: ObserverRecord.self)
    }

    /// The record has the reference of the proxy, and that of the list.
    init(_ request: ProxyRequest, functions: [UnsafeRawPointer?]) throws(Failure) {
        guard let memory = peal_memory_allocate(peal_proxy_target_size(functions.count)) else { throw .outOfMemory }
        guard let list = peal_memory_allocate(peal_snapshot_size(1)) else {
            peal_memory_free(memory)
            throw .outOfMemory
        }
        self.memory = memory.bindMemory(to: peal_proxy_target.self, capacity: 1)
        self.list = list.bindMemory(to: peal_snapshot.self, capacity: 1)
        record.begin(target: request.target, destroy: request.destroy, owner: request.owner, weak: request.weak)
        self.memory.pointee.resolve = request.resolve
        self.memory.pointee.redirect = request.redirect
        self.memory.pointee.invoke = request.invoke
        self.memory.pointee.count = UInt32(functions.count)
        for (index, function) in functions.enumerated() {
            let function = function.map { unsafeBitCast($0, to: (@convention(c) () -> Void).self) }
            peal_proxy_target_set_function(self.memory, UInt64(index), function)
        }
    }

    /// Called before calls can find the target.
    func open(_ id: UInt64) {
        record.pointee.id = id
        list.pointee.method = id
        // Each method has a plan of its own, so the list's plan has no meaning.
        list.pointee.plan = UnsafeRawPointer(list)
        list.pointee.capacity = 1
        list.append(SnapshotEntry(function: {}, target: record.pointee.target, gate: record.gate))
    }

    /// Frees the target of a proxy that was not made. The destroy callback does not run here.
    func free() {
        list.free()
        ObserverLife.releaseMemory(record)
    }
}
