internal import CPeal
import Synchronization

/// A running step of a module. It ends before its C function returns, or it is deferred and answers later.
final class StepAttempt: Sendable {
    typealias Kind = ModuleEvent.Step

    /// The step of the task. C identifies calls from within a step by the thread, but a suspended step continues on
    /// another thread.
    @TaskLocal static var current: StepAttempt?

    private enum State {
        case running
        case deferred
        case over((any Error)?)
    }

    private struct Cancellation {
        var isRequested = false
        var task: Task<Void, Never>?
    }

    let kind: Kind
    let module: String
    let center: peal_center
    private let done: peal_completion
    private let state = Mutex(State.running)
    private let cancellation = Mutex(Cancellation())

    init(_ kind: Kind, _ step: peal_module_step) {
        self.kind = kind
        module = String(cString: step.module)
        center = step.center
        done = step.done
        StepRegistry.enter(self)
    }

    /// Ends the step.
    ///
    /// - Returns: False if its time limit has passed and no caller waits for it.
    func end(_ error: (any Error)?) -> Bool {
        let wasDeferred = state.withLock { state -> Bool in
            defer { state = .over(error) }
            if case .deferred = state { return true }
            return false
        }
        guard wasDeferred else { return true }
        if let error { StepRegistry.note(Self.sentence(of: error), of: self) }
        return peal_complete(done, error == nil ? 0 : 1).rawValue >= 0
    }

    /// The step of this task, if it is one of a center's modules and has not ended.
    static func running(in center: peal_center) -> StepAttempt? {
        guard let current, current.center.id == center.id, !current.isOver else { return nil }
        return current
    }

    /// True if this task is a step of a module, in whatever center.
    static var isInStep: Bool { current.map { !$0.isOver } ?? false }

    /// Runs a body that ends modules. A deferred step does not wait for the body, because the body may wait for this
    /// step.
    func endWithoutWaiting(_ body: @escaping @Sendable () throws(PealError) -> Ending) throws(PealError) -> Ending {
        // Until it suspends, C identifies the step by its thread and does not wait.
        guard isDeferred else { return try body() }
        guard Blocking.start({ _ = try? body() }) else { throw Blocking.noThread }
        return .pending
    }

    /// True if the C function has returned, and the step has not ended.
    var isDeferred: Bool {
        state.withLock { if case .deferred = $0 { true } else { false } }
    }

    private var isOver: Bool {
        state.withLock { if case .over = $0 { true } else { false } }
    }

    /// Returns the status of the C function. A step that has not ended is deferred.
    func leave(_ step: UnsafeMutablePointer<peal_module_step>) -> peal_status {
        let outcome = state.withLock { state -> State in
            let outcome = state
            if case .running = state { state = .deferred }
            return outcome
        }
        switch outcome {
        case .running, .deferred: return PEAL_DEFERRED
        case .over(nil): return PEAL_OK
        case .over(let error?):
            Self.sentence(of: error).copy(intoPealArray: &step.pointee.message)
            return PEAL_ERROR_START
        }
    }

    private static func sentence(of error: any Error) -> String {
        (error as? PealError)?.message ?? String(describing: error)
    }
}

extension StepAttempt {
    /// Cancels the task of the step.
    func cancel() {
        let task = cancellation.withLock { cancellation in
            cancellation.isRequested = true
            return cancellation.task
        }
        task?.cancel()
    }

    /// Notes the task of the step, which may be cancelled already.
    func note(_ task: Task<Void, Never>) {
        let isCancelled = cancellation.withLock { cancellation in
            cancellation.task = task
            return cancellation.isRequested
        }
        if isCancelled { task.cancel() }
    }
}

/// The last step of each module, for its cancellation, and the error of a suspended step. An answer in C is a number,
/// so the error's sentence is stored until the caller of the start reads it.
enum StepRegistry {
    private struct Key: Hashable {
        let center: UInt64
        let module: String
    }

    private struct Entry {
        let attempt: StepAttempt
        var sentence: String?
    }

    private static let entries = Mutex<[Key: Entry]>([:])
    private static let watchedCenters = Mutex<Set<UInt64>>([])

    /// Enters a step that begins.
    static func enter(_ attempt: StepAttempt) {
        entries.withLock { $0[key(attempt)] = Entry(attempt: attempt) }
    }

    static func note(_ sentence: String, of attempt: StepAttempt) {
        entries.withLock { entries in
            if entries[key(attempt)]?.attempt === attempt { entries[key(attempt)]?.sentence = sentence }
        }
    }

    static func remove(_ module: String, in center: peal_center) {
        entries.withLock { _ = $0.removeValue(forKey: Key(center: center.id, module: module)) }
    }

    static func sentence(of module: String, in center: peal_center) -> String? {
        entries.withLock { $0[Key(center: center.id, module: module)]?.sentence }
    }

    /// An error of a start, with the module's error instead of its number.
    static func complete(_ error: PealError, of module: String, in center: peal_center) -> PealError {
        guard error.status == .start, let sentence = sentence(of: module, in: center) else { return error }
        return PealError(status: .start, message: "module \(module) could not be started: \(sentence)")
    }

    /// Cancels the steps of one kind that run in a center.
    static func cancel(_ kind: StepAttempt.Kind, in center: peal_center) {
        let attempts = entries.withLock { entries in
            entries.filter { $0.key.center == center.id && $0.value.attempt.kind == kind }.map(\.value.attempt)
        }
        for attempt in attempts { attempt.cancel() }
    }

    /// From now on, cancels each step of a center when its time limit expires.
    static func watchTimeLimits(in center: Center) throws(PealError) {
        let number = center.handle.id
        guard watchedCenters.withLock({ $0.insert(number).inserted }) else { return }
        let end = TargetEnd { watchedCenters.withLock { _ = $0.remove(number) } }
        let target = ClosureTarget<ModuleEvent>(keeping: end) { event in
            guard case .overdue(let module, let step, _) = event else { return }
            let attempt = entries.withLock { $0[Key(center: number, module: module)]?.attempt }
            if let attempt, attempt.kind == step { attempt.cancel() }
        }
        try center.observeTimeLimits(target).keep()
    }

    private static func key(_ attempt: StepAttempt) -> Key {
        Key(center: attempt.center.id, module: attempt.module)
    }
}

/// Exists as long as a module is registered. At its end it removes the module's last step from the registry.
final class StepRegistration {
    private let module: String
    private let center: peal_center

    init(_ module: String, in center: peal_center) {
        self.module = module
        self.center = center
    }

    deinit { StepRegistry.remove(module, in: center) }
}
