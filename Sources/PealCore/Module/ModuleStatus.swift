/// Where a module is in its life. The raw values are those of the interface.
public enum ModuleState: UInt32, Sendable { case registered, starting, running, stopping, stopped, failed }

/// What changes of a module. Guarded by its mediator's lock.
struct ModuleStatus {
    var state = ModuleState.registered
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

    /// How many of its dependencies do not run, during a start.
    var missing = 0
    /// It has been removed: whoever moves it now finishes that.
    var isLeaving = false
    var isGone = false
}
