/// The state of a module. The raw values are those of the interface.
public enum ModuleState: UInt32, Sendable, CaseIterable {
    case registered, starting, running, stopping, stopped, failed
}

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
    /// A start of all modules begins, or has failed and stopped the module again.
    case reset
    /// The dependencies of the module run.
    case start
    /// The start has succeeded, or it has failed.
    case started, startFailed
    /// The start has succeeded too late, or the module cannot observe. The module must be stopped.
    case startUndone
    case stop, stopped
    /// The module is removed by its handle or class, with its owner or center, or because its late start failed.
    case remove
    /// The owner of the module retires. The removal follows when the modules that started later are stopped.
    case retire
    case released
}

/// The next action of the requesting thread.
enum ModuleAction: Sendable {
    case none
    /// Perform the action, and then request its result.
    case start, stop, release
    /// The thread that starts all modules starts this one too.
    case enqueue
    /// Wait for the action that another thread performs.
    case wait
    case refuse
}

extension ModuleRequest {
    /// The state machine of one module: request × state × membership → state, membership and action.
    ///
    /// `_` matches every value that no row above matches. Only the thread that performs an action requests its result,
    /// so the last row of such a request is never used.
    // swift-format-ignore
    func transition(
        from state: ModuleState, _ membership: ModuleMembership
    ) -> (state: ModuleState, membership: ModuleMembership, action: ModuleAction) {
        switch (self, state, membership) {
        //    request       state        membership      state        membership   action
        case (.reset,       .stopped,    .member):      (.registered, .member,     .none)
        case (.reset,       .failed,     .member):      (.registered, .member,     .none)
        case (.reset,       _,           _):            (state,       membership,  .none)

        case (.start,       .registered, .member):      (.starting,   .member,     .start)
        case (.start,       _,           _):            (state,       membership,  .none)

        case (.started,     .starting,   .member):      (.running,    .member,     .none)
        case (.started,     .starting,   .removed):     (.stopping,   .removed,    .stop)
        case (.started,     _,           _):            (state,       membership,  .none)

        case (.startFailed, .starting,   .member):      (.failed,     .member,     .none)
        case (.startFailed, .starting,   .removed):     (.failed,     .releasing,  .release)
        case (.startFailed, _,           _):            (state,       membership,  .none)

        case (.startUndone, .starting,   _):            (.running,    membership,  .none)
        case (.startUndone, _,           _):            (state,       membership,  .none)

        case (.stop,        .starting,   _):            (state,       membership,  .wait)
        case (.stop,        .running,    _):            (.stopping,   membership,  .stop)
        case (.stop,        .stopping,   _):            (state,       membership,  .wait)
        case (.stop,        _,           _):            (state,       membership,  .none)

        case (.stopped,     .stopping,   .member):      (.stopped,    .member,     .none)
        case (.stopped,     .stopping,   .removed):     (.stopped,    .releasing,  .release)
        case (.stopped,     _,           _):            (state,       membership,  .none)

        case (.remove,      _,           .releasing):   (state,       membership,  .wait)
        case (.remove,      _,           .released):    (state,       membership,  .none)
        case (.remove,      .registered, _):            (.registered, .releasing,  .release)
        case (.remove,      .starting,   _):            (.starting,   .removed,    .wait)
        case (.remove,      .running,    _):            (.stopping,   .removed,    .stop)
        case (.remove,      .stopping,   _):            (.stopping,   .removed,    .wait)
        case (.remove,      .stopped,    _):            (.stopped,    .releasing,  .release)
        case (.remove,      .failed,     _):            (.failed,     .releasing,  .release)

        case (.retire,      _,           .member):      (state,       .removed,    .none)
        case (.retire,      _,           _):            (state,       membership,  .none)

        case (.released,    _,           .releasing):   (state,       .released,   .none)
        case (.released,    _,           _):            (state,       membership,  .none)
        }
    }
}

/// In the child of a fork, which has left the thread in the parent that performed an action.
extension ModuleState {
    /// The state of a module that nobody starts, stops or releases any more.
    func withoutPerformer(_ membership: ModuleMembership) -> (ModuleState, ModuleMembership) {
        let state: ModuleState =
            switch self {
            case .starting: .failed
            case .stopping: .stopped
            case .registered, .running, .stopped, .failed: self
            }
        return (state, membership == .releasing ? .removed : membership)
    }
}

extension ModulesPhase {
    /// The phase when nobody starts or stops the modules any more, and true if the next stop performs the stop.
    var withoutDriver: (phase: ModulesPhase, mustStop: Bool) {
        switch self {
        case .starting, .unwinding: (.running, false)
        case .cancelled, .draining: (.draining, true)
        case .idle, .running, .stopped: (self, false)
        }
    }
}

extension ModuleStep.Kind {
    /// Returns true if a module's step of this kind may begin. The mediator's lock is held until the step counts as
    /// the module's call, so a thread that removes the module either waits for the step or prevents it.
    // swift-format-ignore
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

/// The common state of a center's modules.
public enum ModulesPhase: Sendable, CaseIterable {
    case idle, starting
    /// A stop was requested during the start. The module that starts now is the last.
    case cancelled
    /// A start has failed. The modules that it started are being stopped.
    case unwinding
    case running
    case draining, stopped

    /// The value of the interface. There, a start that fails lasts until the modules that it started are stopped.
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
    /// `started`: all modules run. `startFailed`: a module did not start, or the start was cancelled.
    case started, startFailed
    case stop
    /// No module runs any more.
    case stopped
}

extension PhaseRequest {
    /// The state machine of all modules of a center: request × phase → phase and action.
    ///
    /// Only the thread that starts or stops all modules requests `started`, `startFailed` and `stopped`, so the last
    /// row of each is never used.
    // swift-format-ignore
    func transition(from phase: ModulesPhase) -> (phase: ModulesPhase, action: ModuleAction) {
        switch (self, phase) {
        //    request       phase            phase        action
        case (.register,    .idle):         (phase,       .none)
        case (.register,    .starting):     (phase,       .enqueue)
        case (.register,    .cancelled):    (phase,       .none)
        case (.register,    .unwinding):    (phase,       .none)
        case (.register,    .running):      (phase,       .start)
        case (.register,    .draining):     (phase,       .refuse)
        case (.register,    .stopped):      (phase,       .refuse)

        case (.start,       .idle):         (.starting,   .start)
        case (.start,       _):             (phase,       .refuse)

        case (.started,     .starting):     (.running,    .none)
        case (.started,     _):             (phase,       .none)

        case (.startFailed, .starting):     (.unwinding,  .stop)
        case (.startFailed, .cancelled):    (.draining,   .stop)
        case (.startFailed, _):             (phase,       .none)

        case (.stop,        .idle):         (.stopped,    .none)
        case (.stop,        .starting):     (.cancelled,  .wait)
        case (.stop,        .cancelled):    (phase,       .wait)
        case (.stop,        .unwinding):    (.draining,   .wait)
        case (.stop,        .running):      (.draining,   .stop)
        case (.stop,        .draining):     (phase,       .wait)
        case (.stop,        .stopped):      (phase,       .none)

        case (.stopped,     .unwinding):    (.idle,       .none)
        case (.stopped,     .draining):     (.stopped,    .none)
        case (.stopped,     _):             (phase,       .none)
        }
    }
}
