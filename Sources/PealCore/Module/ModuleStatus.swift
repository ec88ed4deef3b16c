/// Where a module is in its life. The raw values are those of the interface.
public enum ModuleState: UInt32, Sendable { case registered, starting, running, stopping, stopped, failed }

/// Whether a module belongs to its center. Each case follows the one before it.
enum ModuleMembership: Sendable {
    case member
    /// The module has been removed: its handle is stale, its name free. The thread that moves it, or the one
    /// that has removed it, claims its end.
    case removed
    /// One thread has claimed the end: it waits for the module's calls and releases the module.
    case ending
    case gone
}

/// What changes of a module. Guarded by its mediator's lock.
struct ModuleStatus {
    var state = ModuleState.registered
    var membership = ModuleMembership.member
    /// As which it started, from 1; 0 before.
    var order: UInt64 = 0
    /// Monotonic times in nanoseconds: when it began, and how long it took.
    var start = (began: UInt64(0), took: UInt64(0))
    var stop = (began: UInt64(0), took: UInt64(0))
    var isOverdue = false
    var lastFailure = ""
    /// Until when whoever waits for its step need wait.
    var patience = UInt64.max

    /// What is `self` for its functions, while it runs.
    var target: UnsafeMutableRawPointer?
    /// Of its service.
    var use: ServiceUse?
    var hasHeardWillStart = false
    var observations: [Observation] = []
    /// Those that have been ended, whose calls may run yet.
    var ended: [Observation] = []
    /// The threads that run its code in steps, one entry a call.
    var callers: [UInt] = []

    /// The thread that starts or stops it, or has claimed its end; 0 until a thread of peal's has taken that over.
    var mover: UInt = 0
    /// The thread that retires its owner, and comes to this module in its turn; 0: none.
    var retirer: UInt = 0

    /// How many of its dependencies do not run, during a start.
    var missing = 0

    var isMember: Bool { membership == .member }
    /// One thread starts or stops it. All others wait for that to be over.
    var isMoving: Bool { state == .starting || state == .stopping }
}
