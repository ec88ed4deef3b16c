internal import CPealSupport
import PealCall

/// The effect of a signal on the modules of a center. The raw values are those of the interface.
public enum SignalAction: UInt32, Sendable { case terminate = 1, reload, background, foreground, endSession }

/// One signal that is bound to an action.
final class SignalBinding: Sendable {
    let center: Center
    let signal: Int32
    private let generation = peal_fork_generation()
    private let action: SignalAction
    private let queue: Queue
    /// The time limit of a termination, in milliseconds.
    private let timeout: UInt32
    /// The task that is pushed to the queue. It is allocated with the binding, so a delivery needs no memory.
    nonisolated(unsafe) let task: UnsafeMutablePointer<Task>

    /// The lock of the bindings guards it.
    struct Task: BitwiseCopyable {
        var task: peal_task
        var signal: Int32
        /// The task is on the queue. Signals that arrive meanwhile count as one with it.
        var isWaiting = false
        /// The binding has ended. The memory is freed when the queue has run the task.
        var isOrphaned = false
    }

    init(center: Center, signal: Int32, action: SignalAction, queue: Queue, timeout: UInt32) throws(Failure) {
        guard let memory = peal_memory_allocate(MemoryLayout<Task>.size) else { throw .outOfMemory }
        self.center = center
        self.signal = signal
        self.action = action
        self.queue = queue
        self.timeout = timeout
        let task = peal_task(item: peal_item(next: nil, group: nil, count: 0, offset: 0)) { SignalBinding.run($0) }
        self.task = memory.initializeMemory(as: Task.self, to: Task(task: task, signal: signal))
    }

    /// False in the child of a fork, which the parent's bindings do not concern.
    var isOfThisProcess: Bool { generation == peal_fork_generation() }

    deinit {
        let isWaiting = Signals.locked { _ in
            task.pointee.isOrphaned = true
            return task.pointee.isWaiting
        }
        if !isWaiting { peal_memory_free(task) }
    }

    /// Enqueues the action.
    func arrive() {
        let isFirst = Signals.locked { _ in
            defer { task.pointee.isWaiting = true }
            return !task.pointee.isWaiting
        }
        guard isFirst else { return }
        queue.mailbox.push(UnsafeMutableRawPointer(task).assumingMemoryBound(to: peal_task.self))
    }

    private static func run(_ item: UnsafeMutablePointer<peal_task>) {
        let task = UnsafeMutableRawPointer(item).assumingMemoryBound(to: Task.self)
        let (binding, isOrphaned) = Signals.locked { bindings in
            task.pointee.isWaiting = false
            let binding = bindings[task.pointee.signal].flatMap { $0.task == task ? $0 : nil }
            return (binding, task.pointee.isOrphaned)
        }
        if isOrphaned { peal_memory_free(task) }
        binding?.act()
    }

    private func act() {
        // A center that has ended has no modules to notify.
        guard let modules = try? center.modules() else { return }
        let lifecycle = modules.lifecycle
        modules.events.notifySignal(signal)
        switch action {
        case .terminate: _ = modules.stopAll(timeout: timeout)
        case .reload: lifecycle.broadcast(lifecycle.configurationReloaded)
        case .background:
            lifecycle.broadcast(lifecycle.willResignActive)
            lifecycle.broadcast(lifecycle.didEnterBackground)
            peal_signal_act_as_default(signal)
        case .foreground:
            lifecycle.broadcast(lifecycle.willEnterForeground)
            lifecycle.broadcast(lifecycle.didBecomeActive)
        case .endSession: _ = try? center.services.endSession()
        }
    }
}
