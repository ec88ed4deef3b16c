internal import CPealSupport
import PealCall
internal import Synchronization

/// A wait that may be delayed by calls on other threads.
final class ThreadWait: Sendable {
    enum Subject: Sendable {
        /// The end of a module's step, which may need a queue.
        case step(ModuleStep.Kind, of: Module)
        /// The end of all steps and events of a module.
        case calls(of: Module)
        /// The end of another thread's action on a module.
        case action(on: Module)
        /// The end of all calls of an owner.
        case retirement(of: Owner)
        /// The return of all observers that are notified of overdue steps.
        case reports(of: Mediator)
        /// The end of a stop of all modules that another thread performs.
        case stop(of: Mediator)
        /// The end of the creation of a service's instance.
        case creation(on: UInt)
        /// The calls that wait on a queue.
        case flush(of: UInt)
    }

    let thread: UInt
    private let process = peal_fork_generation()
    let subject: Subject
    /// The queues whose calls the waiting thread is inside.
    // Only compared. The waiting thread keeps them alive.
    nonisolated(unsafe) fileprivate let mailboxes: [Mailbox]
    /// The system's number of the thread that the wait was cut for; 0: it is not cut.
    // No lock guards it: see event_count.h.
    private let cut = Atomic(UInt32(0))

    fileprivate init(_ subject: Subject) {
        thread = Mediator.thisThread
        self.subject = subject
        mailboxes = Self.mailboxesHere
    }

    /// Returns true if the wait has ended because it was part of a circular wait.
    var isCut: Bool { delayer != 0 }

    /// True if the wait is cut, or its thread is in the parent of a fork.
    fileprivate var isOver: Bool { isCut || LiveThread.isLost(thread, since: process) }

    /// The thread whose call was waited for, and waits for this one; 0: the wait is not cut.
    var delayer: UInt32 { cut.load(ordering: .sequentiallyConsistent) }

    fileprivate func cutOff(from other: ThreadWait) {
        cut.store(other.systemThread, ordering: .sequentiallyConsistent)
        switch subject {
        case .step(_, let module), .calls(let module), .action(let module): module.mediator.signalChange()
        case .reports(let mediator), .stop(let mediator): mediator.signalChange()
        case .retirement, .creation, .flush: break
        }
        // Threads that wait for a module's events or an owner's calls wait in `RunningCalls`.
        RunningCalls.signal()
    }

    /// A flush is refused if it would close a circular wait, and a creation must be waited for. So other waits are cut.
    fileprivate var mayBeCut: Bool {
        switch subject {
        case .flush, .creation: false
        default: true
        }
    }

    /// The cost of a cut. The wait with the lowest cost is cut.
    fileprivate var loss: Int {
        switch subject {
        case .flush, .creation: .max
        case .calls, .action, .retirement, .reports, .stop: 0
        case .step(.event, _): 1
        case .step(.stop, _): 3
        case .step: 2
        }
    }

    private var systemThread: UInt32 {
        UnsafePointer<peal_thread>(bitPattern: thread)?.pointee.system_id ?? .max
    }

    private static var mailboxesHere: [Mailbox] {
        var mailboxes: [Mailbox] = []
        var drain = peal_thread_own_engine()?.pointee.drains
        while let inner = drain {
            mailboxes.append(inner.pointee.mailbox)
            drain = inner.pointee.outer
        }
        return mailboxes
    }
}

/// The waits of all threads of the process. In a circular wait, each thread is inside a call that another one waits
/// for, so all would wait forever. The thread that begins the last of these waits finds the circular wait, and cuts the
/// wait of a thread that is inside a call. The function that waited there returns a status. Another thread then
/// performs the action that it waited for, or the step is abandoned.
enum WaitGraph {
    /// The lock is an outer one. The locks of mediators and owners are acquired under it.
    private static let waits = Guarded<[UInt: ThreadWait]>([:])

    /// Runs a function that waits. The caller must hold no lock.
    static func waiting<Result>(for subject: ThreadWait.Subject, _ body: (ThreadWait) -> Result) -> Result {
        let wait = ThreadWait(subject)
        let cut = waits.withLock { waits in
            waits[wait.thread] = wait
            return cutCycles(through: wait, in: waits)
        }
        for (wait, other) in cut { wait.cutOff(from: other) }
        defer { waits.withLock { $0[wait.thread] = nil } }
        return body(wait)
    }

    /// Runs a function that waits for a queue without a limit. The caller must hold no lock.
    ///
    /// - Returns: Nil if the wait would be circular. Then the function was not called.
    static func flushing(_ mailbox: Mailbox, _ body: () -> Bool) -> Bool? {
        let wait = ThreadWait(.flush(of: UInt(bitPattern: mailbox)))
        let (outer, isCircular) = waits.withLock { waits in
            let outer = waits.updateValue(wait, forKey: wait.thread)
            let isCircular = circle(through: wait, in: waits) != nil
            if isCircular { waits[wait.thread] = outer }
            return (outer, isCircular)
        }
        guard !isCircular else { return nil }
        defer { waits.withLock { $0[wait.thread] = outer } }
        return body()
    }

    private typealias Delay = (wait: ThreadWait, isInside: Bool)

    /// - Returns: The waits to cut, so that no circular wait is left, each with the one that delays it.
    private static func cutCycles(
        through wait: ThreadWait, in waits: [UInt: ThreadWait]
    ) -> [(wait: ThreadWait, delayer: ThreadWait)] {
        var left = waits
        var cut: [(wait: ThreadWait, delayer: ThreadWait)] = []
        while left[wait.thread] != nil {
            // One thread of a circular wait is inside a call. The others only delay their own actions.
            guard let cycle = circle(through: wait, in: left),
                let least = cycle.indices.filter({ cycle[$0].isInside && cycle[$0].wait.mayBeCut }).min(by: {
                    cycle[$0].wait.loss < cycle[$1].wait.loss
                })
            else { break }
            let (waiting, delayer) = (cycle[least].wait, cycle[(least + 1) % cycle.count].wait)
            left[waiting.thread] = nil
            cut.append((waiting, delayer))
        }
        return cut
    }

    /// - Returns: The waits that delay one another, from the one that delays this wait to this wait itself.
    private static func circle(through wait: ThreadWait, in waits: [UInt: ThreadWait]) -> [Delay]? {
        // Most waits are alone.
        guard waits.count > 1 else { return nil }
        var passed: Set<UInt> = []
        return cycle(from: wait, to: wait.thread, in: waits.filter { !$0.value.isOver }, &passed)
    }

    private static func cycle(
        from wait: ThreadWait, to start: UInt, in waits: [UInt: ThreadWait], _ passed: inout Set<UInt>
    ) -> [Delay]? {
        guard passed.insert(wait.thread).inserted else { return nil }
        // A thread that performs what it waits for does not delay itself.
        for other in waits.values where other.thread != wait.thread {
            guard let isInside = isDelayed(wait, by: other) else { continue }
            if other.thread == start { return [(other, isInside)] }
            if let rest = cycle(from: other, to: start, in: waits, &passed) { return [(other, isInside)] + rest }
        }
        return nil
    }

    /// - Returns: Nil if the other waiting thread does not delay the wait. Otherwise true if that thread is inside
    ///   a call that must end first.
    private static func isDelayed(_ wait: ThreadWait, by other: ThreadWait) -> Bool? {
        switch wait.subject {
        case .step(_, let module):
            // A step waits for everything on its queue, but not for events elsewhere.
            let isOnQueue = module.queue.map { other.mailboxes.contains($0.mailbox) } ?? false
            return isOnQueue || module.mediator.withState({ _ in module.status.callers.contains(other.thread) })
                ? true : nil
        case .calls(let module):
            return module.mediator.withState { _ in module.isCalled(on: other.thread) } ? true : nil
        case .action(let module):
            return module.mediator.withState { _ in module.isDelayed(by: other.thread) }
        case .flush(let mailbox):
            return other.mailboxes.contains { UInt(bitPattern: $0) == mailbox } ? true : nil
        case .retirement(let owner):
            if owner.isCalling(on: other.thread)
                || owner.members(Queue.self).contains(where: { other.mailboxes.contains($0.mailbox) })
            {
                return true
            }
            if owner.ender == other.thread { return false }
            return owner.members(Module.self).lazy
                .compactMap { module in module.mediator.withState { _ in module.isDelayed(by: other.thread) } }.first
        case .reports(let mediator):
            return mediator.withState { $0.reporters[other.thread] != nil } ? true : nil
        case .stop(let mediator):
            return mediator.withState { $0.isStopDelayed(by: other.thread) }
        case .creation(let thread):
            return other.thread == thread ? true : nil
        }
    }
}

extension MediatorState {
    /// - Returns: nil if the thread does not delay the stop of all modules; otherwise true if it is inside a call of a
    ///   module.
    fileprivate func isStopDelayed(by thread: UInt) -> Bool? {
        if stepThreads[thread] != nil || reporters[thread] != nil
            || started.contains(where: { $0.isCalled(on: thread) })
        {
            return true
        }
        return driver == thread ? false : nil
    }
}

extension Module {
    /// Returns true if a thread is inside a call of the module. The thread must wait in the graph, or be the calling
    /// thread. The caller must hold the mediator's lock.
    func isCalled(on thread: UInt) -> Bool {
        if status.callers.contains(thread) { return true }
        guard let slot = UnsafeMutablePointer<peal_thread>(bitPattern: thread), peal_thread_depth(slot) > 0 else {
            return false
        }
        return (status.observations + status.ended).contains { peal_thread_runs(slot, $0.gate) }
    }

    /// Returns true if the calling thread is inside a call of the module. The caller must hold the mediator's lock.
    var isCalledHere: Bool { isCalled(on: Mediator.thisThread) }

    /// The caller must hold the mediator's lock.
    ///
    /// - Returns: nil if the thread does not delay the module's action; otherwise true if it is inside a call of the
    ///   module.
    fileprivate func isDelayed(by thread: UInt) -> Bool? {
        if isCalled(on: thread) { return true }
        return status.performer == thread || status.retirer == thread ? false : nil
    }
}
