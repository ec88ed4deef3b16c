internal import CPealSupport
import PealCall

/// One signal that is bound to an action.
final class SignalBinding: Sendable {
    let center: Center
    let signal: Int32
    private let action: SignalAction
    private let queue: Queue
    /// Of a termination, in milliseconds.
    private let timeout: UInt32
    /// Signals that come while one waits for the queue count as one.
    private let isWaiting = Guarded(false)

    /// What a queue gets.
    private struct Task: BitwiseCopyable {
        var task: peal_task
        var signal: Int32
    }

    init(center: Center, signal: Int32, action: SignalAction, queue: Queue, timeout: UInt32) {
        self.center = center
        self.signal = signal
        self.action = action
        self.queue = queue
        self.timeout = timeout
    }

    /// Has the queue do it.
    func arrive() {
        let isFirst = isWaiting.withLock { isWaiting in
            defer { isWaiting = true }
            return !isWaiting
        }
        guard isFirst, let memory = peal_memory_allocate(MemoryLayout<Task>.size) else { return }
        let task = peal_task(item: peal_item(next: nil, group: nil, count: 0, offset: 0)) { task in
            let signal = UnsafeMutableRawPointer(task).assumingMemoryBound(to: Task.self).pointee.signal
            peal_memory_free(task)
            Signals.find(signal)?.act()
        }
        memory.initializeMemory(as: Task.self, to: Task(task: task, signal: signal))
        queue.mailbox.push(memory.assumingMemoryBound(to: peal_task.self))
    }

    private func act() {
        isWaiting.withLock { $0 = false }
        // An action tells nobody how it ended: a center that has ended has no modules to tell.
        guard let modules = try? center.modules() else { return }
        let lifecycle = modules.lifecycle
        modules.events.tellSignal(signal)
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
