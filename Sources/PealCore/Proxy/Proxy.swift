internal import CPealSupport
import PealCall

/// A table of functions, or a bare function, whose calls are forwarded: to all observers of their methods,
/// or to one target.
public final class Proxy: Sendable {
    public let id: UInt64
    let title: String
    let owner: Owner?
    /// nil: its calls are broadcasts.
    let target: ProxyTarget?
    /// The protocol or method that must exist for a broadcast.
    let broadcasts: Broadcasts
    private let bare: BareFunction?
    /// Guards the element against threads that find the target dead.
    private let state: Guarded<State>

    private struct State {
        var isOpen = true
        /// Functions of the target may still be called.
        var hasTarget: Bool
    }

    enum Broadcasts: Sendable {
        case nothing
        case proto(PealProtocol)
        case method(Method)

        /// 0 without a protocol of which all methods are broadcast.
        var protocolId: UInt64 { if case .proto(let proto) = self { proto.id } else { 0 } }
    }

    init(
        id: UInt64, title: String, owner: Owner?, target: ProxyTarget?, broadcasts: Broadcasts, bare: BareFunction?
    ) {
        self.id = id
        self.title = title
        self.owner = owner
        self.target = target
        self.broadcasts = broadcasts
        self.bare = bare
        state = Guarded(State(hasTarget: target != nil))
        if let target { peal_observer_retain_memory(target.record) }
    }

    deinit {
        if let target { ObserverLife.releaseMemory(target.record) }
    }

    private var element: UnsafeMutablePointer<peal_proxy_element>? { peal_proxy_find(id) }

    /// True if a call reaches observers or a target.
    public var isAlive: Bool {
        switch broadcasts {
        case .proto(let proto): Handles.protocols.find(proto.id) != nil
        case .method(let method): Handles.methods.find(method.id) != nil
        case .nothing: ProxyCall.reachesTarget(id)
        }
    }

    /// Ends the proxy of a handle.
    ///
    /// - Parameter timeout: The time limit for the target's calls to return, in milliseconds; nil: no wait.
    /// - Returns: True if a requested wait was completed.
    @discardableResult
    public static func end(_ id: UInt64, timeout: UInt32? = nil) throws(Failure) -> Bool {
        let deadline = peal_clock_deadline(timeout ?? 0)
        guard Handles.proxies.retire(id), let proxy = Handles.proxies.findEvenRetired(id) else {
            // Its owner or another thread has ended the proxy. A requested wait still waits for its calls.
            if timeout != nil, let ended = Handles.proxies.findEvenRetired(id), let record = ended.target?.record {
                let hasEnded = RunningCalls.wait(for: [record], deadline: deadline)
                extendLifetime(ended)
                if !hasEnded { return false }
            }
            throw .staleProxy
        }
        proxy.close()
        guard timeout != nil, let record = proxy.target?.record else { return true }
        return withExtendedLifetime(proxy) {
            guard RunningCalls.wait(for: [record], deadline: deadline) else { return false }
            // Lists that other calls protect may still contain the target's record, but no thread calls it.
            ObserverLife.destroy(record)
            return RunningCalls.wait(for: [record], deadline: deadline)
        }
    }

    /// Called by the thread that made the handle stale.
    func close() {
        let hasTarget = state.withLock { state in
            state.isOpen = false
            if let element { peal_proxy_close(element) }
            return state.hasTarget
        }
        if !hasTarget { leaveTables() }
        bare?.recycle()
        endTarget()
    }

    /// Called once the last function of the target has returned.
    func noteTargetEnd() {
        let isOpen = state.withLock { state in
            state.hasTarget = false
            return state.isOpen
        }
        if !isOpen { leaveTables() }
    }

    /// Recycles the handle, and removes the proxy from its owner. No function of the proxy may be called any more.
    private func leaveTables() {
        Handles.proxies.recycle(id)
        owner?.remove(self)
    }

    /// Releases the target, whose destroy callback runs once none of its calls runs. Exactly one caller succeeds.
    func endTarget() {
        guard let target, ObserverGate.remove(target.record.gate) else { return }
        state.withLock { state in
            if state.isOpen, let list = element.map(peal_proxy_list_element) {
                peal_directory_publish(list, peal_directory_empty_list(list))
            }
            Reclaimer.retire([.list(target.list)])
        }
        Reclaimer.collectBacklog()
        Reclaimer.end([target.record])
    }
}
