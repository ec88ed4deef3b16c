/// The state of a module. The raw values are those of the interface.
public enum ModuleState: UInt32, Sendable, CaseIterable { case registered, starting, running, stopping, stopped, failed }

/// The relation of a module to its center. Each case follows the one before it.
enum ModuleMembership: Sendable, CaseIterable {
    case member
    /// The handle is stale and the name is free. The module is still to be released.
    case removed
    /// One thread waits for the module's calls, and then releases the module.
    case releasing
    case released
}

/// A request to one module, or the result of an action.
enum ModuleRequest: Sendable, CaseIterable {
    /// All modules are about to start, or have been stopped after a start that failed.
    case reset
    /// The module's dependencies run.
    case start
    /// The start succeeded. It failed. It succeeded, but too late or without observing, so the module must stop.
    case started, startFailed, startUndone
    case stop, stopped
    /// By handle or by class, because the center ends, because a late start failed, or in a retired module's turn.
    case remove
    /// The module's owner retires. A removal follows when the modules that started later are stopped.
    case retire
    case released
}

/// The next action of the requesting thread.
enum ModuleAction: Sendable {
    case none
    /// Perform the action, and request what it leads to.
    case start, stop, release
    /// Leave the start to the thread that starts all modules.
    case enqueue
    /// Wait for the action that another thread performs.
    case wait
    case refuse
}

/// The state machine of one module: state × membership × request → state, membership and action.
struct ModuleTransition {
    let state: ModuleState
    let membership: ModuleMembership
    let action: ModuleAction

    init(_ request: ModuleRequest, in state: ModuleState, _ membership: ModuleMembership) {
        func to(_ state: ModuleState, _ membership: ModuleMembership, _ action: ModuleAction) -> Self {
            Self(state: state, membership: membership, action: action)
        }

        // `_` matches every value that no row above matches. Only the thread that performs an action requests what
        // it leads to, so the last row of such a request is never used.
        self = switch (request, state, membership) {
        //    request       state        membership        state        membership   action
        case (.reset,       .stopped,    .member):      to(.registered, .member,     .none)
        case (.reset,       .failed,     .member):      to(.registered, .member,     .none)
        case (.reset,       _,           _):            to(state,       membership,  .none)

        case (.start,       .registered, .member):      to(.starting,   .member,     .start)
        case (.start,       _,           _):            to(state,       membership,  .none)

        case (.started,     .starting,   .member):      to(.running,    .member,     .none)
        case (.started,     .starting,   .removed):     to(.stopping,   .removed,    .stop)
        case (.started,     _,           _):            to(state,       membership,  .none)

        case (.startFailed, .starting,   .member):      to(.failed,     .member,     .none)
        case (.startFailed, .starting,   .removed):     to(.failed,     .releasing,  .release)
        case (.startFailed, _,           _):            to(state,       membership,  .none)

        case (.startUndone, .starting,   _):            to(.running,    membership,  .none)
        case (.startUndone, _,           _):            to(state,       membership,  .none)

        case (.stop,        .starting,   _):            to(state,       membership,  .wait)
        case (.stop,        .running,    _):            to(.stopping,   membership,  .stop)
        case (.stop,        .stopping,   _):            to(state,       membership,  .wait)
        case (.stop,        _,           _):            to(state,       membership,  .none)

        case (.stopped,     .stopping,   .member):      to(.stopped,    .member,     .none)
        case (.stopped,     .stopping,   .removed):     to(.stopped,    .releasing,  .release)
        case (.stopped,     _,           _):            to(state,       membership,  .none)

        case (.remove,      _,           .releasing):   to(state,       membership,  .wait)
        case (.remove,      _,           .released):    to(state,       membership,  .none)
        case (.remove,      .registered, _):            to(.registered, .releasing,  .release)
        case (.remove,      .starting,   _):            to(.starting,   .removed,    .wait)
        case (.remove,      .running,    _):            to(.stopping,   .removed,    .stop)
        case (.remove,      .stopping,   _):            to(.stopping,   .removed,    .wait)
        case (.remove,      .stopped,    _):            to(.stopped,    .releasing,  .release)
        case (.remove,      .failed,     _):            to(.failed,     .releasing,  .release)

        case (.retire,      _,           .member):      to(state,       .removed,    .none)
        case (.retire,      _,           _):            to(state,       membership,  .none)

        case (.released,    _,           .releasing):   to(state,       .released,   .none)
        case (.released,    _,           _):            to(state,       membership,  .none)
        }
    }

    private init(state: ModuleState, membership: ModuleMembership, action: ModuleAction) {
        self.state = state
        self.membership = membership
        self.action = action
    }
}

extension ModuleStep.Kind {
    /// Returns true if a module's step of this kind may begin. The mediator's lock is held until the step counts as
    /// the module's call, so a thread that removes the module either waits for the step or prevents it.
    func isAllowed(in state: ModuleState, _ membership: ModuleMembership) -> Bool {
        switch (self, state, membership) {
        //    step           state         membership
        case (.willStart,    .registered,  .member):     true
        case (.start,        .starting,    _):           true
        case (.didStart,     .running,     .member):     true
        case (.event,        .running,     .member):     true
        case (.stop,         .stopping,    _):           true
        case (_,             _,            _):           false
        }
    }
}

/// What the modules of a center do together.
public enum ModulesPhase: Sendable, CaseIterable {
    case idle, starting
    /// A stop was requested during the start. The module that starts now is the last.
    case cancelled
    /// A start has failed. The modules that it started are being stopped.
    case unwinding
    case running
    case draining, stopped

    /// The value of the interface, for which a start lasts until all that it started is stopped again.
    public var interfaceValue: UInt32 {
        switch self {
        case .idle: 0
        case .starting, .cancelled, .unwinding: 1
        case .running: 2
        case .draining: 3
        case .stopped: 4
        }
    }
}

/// A request to all modules of a center, or the result of an action.
enum PhaseRequest: Sendable, CaseIterable {
    case register
    case start
    /// All have started. One has not, or the start was cancelled.
    case started, startFailed
    case stop
    /// None runs any more.
    case stopped
}

/// The state machine of all modules of a center: phase × request → phase and action.
struct PhaseTransition {
    let phase: ModulesPhase
    let action: ModuleAction

    init(_ request: PhaseRequest, in phase: ModulesPhase) {
        func to(_ phase: ModulesPhase, _ action: ModuleAction) -> Self { Self(phase: phase, action: action) }

        // Only the thread that starts or stops all modules requests `started`, `startFailed` and `stopped`, so the
        // last row of each is never used.
        self = switch (request, phase) {
        //    request       phase              phase        action
        case (.register,    .idle):         to(phase,       .none)
        case (.register,    .starting):     to(phase,       .enqueue)
        case (.register,    .cancelled):    to(phase,       .none)
        case (.register,    .unwinding):    to(phase,       .none)
        case (.register,    .running):      to(phase,       .start)
        case (.register,    .draining):     to(phase,       .refuse)
        case (.register,    .stopped):      to(phase,       .refuse)

        case (.start,       .idle):         to(.starting,   .start)
        case (.start,       _):             to(phase,       .refuse)

        case (.started,     .starting):     to(.running,    .none)
        case (.started,     _):             to(phase,       .none)

        case (.startFailed, .starting):     to(.unwinding,  .stop)
        case (.startFailed, .cancelled):    to(.draining,   .stop)
        case (.startFailed, _):             to(phase,       .none)

        case (.stop,        .idle):         to(.stopped,    .none)
        case (.stop,        .starting):     to(.cancelled,  .wait)
        case (.stop,        .cancelled):    to(phase,       .wait)
        case (.stop,        .unwinding):    to(.draining,   .wait)
        case (.stop,        .running):      to(.draining,   .stop)
        case (.stop,        .draining):     to(phase,       .wait)
        case (.stop,        .stopped):      to(phase,       .none)

        case (.stopped,     .unwinding):    to(.idle,       .none)
        case (.stopped,     .draining):     to(.stopped,    .none)
        case (.stopped,     _):             to(phase,       .none)
        }
    }

    private init(phase: ModulesPhase, action: ModuleAction) {
        self.phase = phase
        self.action = action
    }
}
