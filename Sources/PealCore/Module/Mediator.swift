internal import CPealSupport
import PealCall

/// Starts and stops the modules of a center, and tells them what happens.
///
/// The lock guards states and is never held while a module's code runs. It is an outer one: a center's
/// lock may be taken under it, not the other way round. Who moves a module from one state to another has
/// claimed it by setting `starting` or `stopping` under the lock; all others wait for that to be over.
public final class Mediator: Sendable {
    let center: Center
    let lifecycle: Lifecycle
    let events: ModuleEvents
    private let state = Guarded(MediatorState())
    // Freed with this object; used by the functions of changes.h alone.
    nonisolated(unsafe) let changes: OpaquePointer
    /// Looks for steps that are overdue. Used by the executor alone.
    nonisolated(unsafe) let overdue = UnsafeMutablePointer<peal_work>.allocate(capacity: 1)

    private init(center: Center, lifecycle: Lifecycle, events: ModuleEvents, changes: OpaquePointer) {
        self.center = center
        self.lifecycle = lifecycle
        self.events = events
        self.changes = changes
        overdue.initialize(to: peal_work())
    }

    deinit {
        peal_executor_cancel(overdue)
        overdue.deallocate()
        peal_changes_free(changes)
    }

    static func make(for center: Center) throws(Failure) -> Mediator {
        let lifecycle = try Lifecycle(of: center)
        let events = try ModuleEvents(of: center)
        guard let changes = peal_changes_make() else { throw .outOfMemory }
        return Mediator(center: center, lifecycle: lifecycle, events: events, changes: changes)
    }

    func withState<Result: Sendable, Mistake: Error>(
        _ body: (inout MediatorState) throws(Mistake) -> Result
    ) throws(Mistake) -> Result {
        try state.withLock { (state) throws(Mistake) -> Result in try body(&state) }
    }

    static var thisThread: UInt { UInt(bitPattern: peal_thread_current()) }

    /// Wakes those who wait for a state.
    func tellChange() {
        peal_changes_tell(changes)
    }

    /// Waits until `isOver` says so, under the lock.
    ///
    /// - Parameter deadline: Asked again after each change.
    /// - Returns: False when the time has passed.
    func wait(
        until deadline: (borrowing MediatorState) -> UInt64, _ isOver: (borrowing MediatorState) -> Bool
    ) -> Bool {
        while true {
            let seen = peal_changes_count(changes)
            let (isOver, limit) = withState { state in (isOver(state), deadline(state)) }
            if isOver { return true }
            guard peal_clock_now() < limit else { return false }
            peal_changes_wait(changes, seen, limit)
        }
    }
}

extension Center {
    /// The mediator, made when it is first needed.
    public func modules() throws(Failure) -> Mediator {
        if let known = mediator.withLock({ $0.mediator }) { return known }
        let made = try keepForGood { () throws(Failure) in try Mediator.make(for: self) }
        let kept = mediator.withLock { slot -> Mediator? in
            if !slot.isClosed, slot.mediator == nil { slot.mediator = made }
            return slot.mediator
        }
        guard let kept else { throw Failure(.handle, "the center has been ended") }
        return kept
    }
}
