internal import CPealSupport
import PealCall

/// Starts and stops the modules of a center, and notifies them of events.
///
/// The lock guards states and is never held while a module's code runs. It is an outer lock: a center's lock may be
/// acquired under it, but not the reverse. A thread makes a request under the lock, releases the lock, and performs the
/// action that the request returned. Other threads wait for that action.
public final class Mediator: Sendable {
    let center: Center
    let lifecycle: Lifecycle
    let events: ModuleEvents
    private let state = Guarded(MediatorState())
    // Freed with this object; atomic.
    private nonisolated(unsafe) let changes = EventCount.make()
    /// The work that looks for overdue steps. Used by the executor alone.
    nonisolated(unsafe) let overdueWork = UnsafeMutablePointer<peal_timed_work>.allocate(capacity: 1)

    private init(center: Center, lifecycle: Lifecycle, events: ModuleEvents) {
        self.center = center
        self.lifecycle = lifecycle
        self.events = events
        overdueWork.initialize(to: peal_timed_work())
    }

    deinit {
        peal_executor_cancel(overdueWork)
        overdueWork.deallocate()
        changes.deallocate()
    }

    fileprivate static func make(for center: Center) throws(Failure) -> Mediator {
        let lifecycle = try Lifecycle(of: center)
        let events = try ModuleEvents(of: center)
        return Mediator(center: center, lifecycle: lifecycle, events: events)
    }

    func withState<Result: Sendable, Mistake: Error>(
        _ body: (inout MediatorState) throws(Mistake) -> Result
    ) throws(Mistake) -> Result {
        try state.withLock { (state) throws(Mistake) -> Result in
            state.noteFork()
            return try body(&state)
        }
    }

    static var thisThread: UInt { UInt(bitPattern: peal_thread_current()) }
}

/// Waiting for a state. Each wait for a module takes part in the search for circular waits: see WaitGraph.
extension Mediator {
    /// Wakes the threads that wait for a state.
    func signalChange() {
        changes.signal()
    }

    /// Waits until a condition is true. The condition is evaluated under the lock.
    ///
    /// - Parameter deadline: Evaluated again after each change.
    /// - Returns: False if the deadline passed first.
    func wait(
        until deadline: (borrowing MediatorState) -> UInt64, _ condition: (borrowing MediatorState) -> Bool
    ) -> Bool {
        changes.wait { withState { state in (condition(state), deadline(state)) } }
    }

    /// Waits in the wait graph until a condition is true, because calls on other threads may delay it.
    ///
    /// - Parameter cut: Called if the wait was cut because it was circular, with the thread that it was cut for.
    /// - Returns: False if the deadline passed first, or the wait was cut.
    func wait(
        for subject: ThreadWait.Subject, until deadline: (borrowing MediatorState) -> UInt64,
        cut: (UInt32) -> Void = { _ in }, _ condition: (borrowing MediatorState) -> Bool
    ) -> Bool {
        if withState({ condition($0) }) { return true }
        return WaitGraph.waiting(for: subject) { thread in
            var isTrue = false
            _ = wait(until: deadline) { state in
                isTrue = condition(state)
                return isTrue || thread.isCut
            }
            if thread.isCut { cut(thread.delayer) }
            return isTrue
        }
    }

    /// Waits until none of a module's steps and events runs.
    ///
    /// - Returns: False if one still runs: the deadline passed, the wait was cut, or the calling thread is inside it.
    func waitForCalls(of module: Module, deadline: UInt64) -> Bool {
        wait(for: .calls(of: module), until: { _ in deadline }) { _ in module.status.callers.isEmpty }
            && waitForEvents(of: module, deadline: deadline)
    }

    private func waitForEvents(of module: Module, deadline: UInt64) -> Bool {
        let ended = withState { _ in module.status.ended }
        defer { extendLifetime(ended) }
        let records = ended.map { $0.record }
        if ended.isEmpty || RunningCalls.haveEnded(records) { return true }
        guard withState({ _ in !module.isCalledHere }) else { return false }
        return WaitGraph.waiting(for: .calls(of: module)) { wait in
            RunningCalls.wait(until: deadline, unless: { wait.isCut }) { RunningCalls.haveEnded(records) }
        }
    }
}

/// The readable state of a center's modules.
extension Mediator {
    public var phase: ModulesPhase { withState { $0.phase } }

    var count: Int { withState { $0.byName.count } }

    public func find(_ name: String) throws(Failure) -> Module {
        try withState { (state) throws(Failure) in
            if let module = state.byName[name] { return module }
            let near = NearestName.find(name, among: state.byName.count, in: Array(state.byName.keys))
            let guess = near.map { "; did you mean \($0)?" } ?? ""
            throw Failure(.notFound, "there is no module \(name)\(guess)")
        }
    }

    /// The modules that started, in start order, then the others in order of registration.
    public var list: [UInt64] {
        withState { state in
            // A module that has not started has the order 0.
            state.byName.values.ordered { SortKey($0.status.order &- 1, $0.sequence) }.map { $0.id }
        }
    }
}

/// The mediator of a center.
struct MediatorSlot {
    var mediator: Mediator?
    /// The center has ended.
    var isClosed = false
}

extension Center {
    /// The mediator, made when it is first needed.
    public func modules() throws(Failure) -> Mediator {
        if let known = mediator.withLock({ $0.mediator }) { return known }
        let made = try makePermanent { () throws(Failure) in try Mediator.make(for: self) }
        let kept = mediator.withLock { slot -> Mediator? in
            if !slot.isClosed, slot.mediator == nil { slot.mediator = made }
            return slot.mediator
        }
        guard let kept else { throw .endedCenter }
        return kept
    }
}
