internal import CPealSupport

/// A thread that waits for a module.
struct ModuleWait {
    enum Kind: Sendable {
        /// For a step, which may need a queue.
        case step(ModuleStep.Kind)
        /// Until none of its steps and events runs.
        case calls
        /// For the thread that starts, stops or ends it.
        case move

        /// The less is lost by a cut, the lower.
        var loss: Int {
            switch self {
            case .calls, .move: 0
            case .step(.answer): 1
            case .step(.stop): 3
            case .step: 2
            }
        }

        var isStep: Bool { if case .step = self { true } else { false } }
        var isMove: Bool { if case .move = self { true } else { false } }
    }

    let module: Module
    let kind: Kind
    /// The queues whose calls the waiting thread is inside.
    let mailboxes: [Mailbox]
    /// The wait is over: it is part of a circle.
    var isCut = false
}

/// Waits for modules. Threads that wait inside a module's call, each for what another one delays, would wait
/// for ever. The last of them to begin finds the circle and cuts the wait of one that is inside a call. What
/// that thread would have waited for is done elsewhere, or its step is given up, and its function says so.
extension Mediator {
    /// Waits until `isOver` says so, under the lock.
    ///
    /// - Returns: False when the time has passed or the wait was cut.
    func wait(
        for module: Module, _ kind: ModuleWait.Kind, until deadline: (borrowing MediatorState) -> UInt64,
        _ isOver: (borrowing MediatorState) -> Bool
    ) -> Bool {
        if withState({ isOver($0) }) { return true }
        return waiting(for: module, kind) { thread in
            var isDone = false
            _ = wait(until: deadline) { state in
                isDone = isOver(state)
                return isDone || state.isCut(thread)
            }
            return isDone
        }
    }

    /// Waits until none of its steps and events runs. Not from one of them.
    ///
    /// - Returns: False when some still do.
    func waitForCalls(of module: Module, deadline: UInt64) -> Bool {
        wait(for: module, .calls, until: { _ in deadline }) { _ in module.status.callers.isEmpty }
            && waitForEvents(of: module, deadline: deadline)
    }

    private func waitForEvents(of module: Module, deadline: UInt64) -> Bool {
        let ended = withState { _ in module.status.ended }
        if ended.isEmpty || endsNow(ended, deadline: 0) { return true }
        guard withState({ _ in !module.isCalledHere }) else { return false }
        return waiting(for: module, .calls) { thread in
            while true {
                let now = peal_clock_now()
                if endsNow(ended, deadline: min(deadline, now + Self.pause)) { return true }
                guard now < deadline, withState({ !$0.isCut(thread) }) else { return false }
            }
        }
    }

    private func endsNow(_ ended: [Observation], deadline: UInt64) -> Bool {
        withExtendedLifetime(ended) { RunningCalls.wait(for: ended.map(\.record), deadline: deadline) }
    }

    /// How long a cut can be missed, in nanoseconds.
    private static var pause: UInt64 { 2_000_000 }

    private func waiting(for module: Module, _ kind: ModuleWait.Kind, _ body: (UInt) -> Bool) -> Bool {
        let thread = Self.thisThread
        let wait = ModuleWait(module: module, kind: kind, mailboxes: Self.mailboxesHere)
        let isAnyCut = withState { state in
            state.waits[thread] = wait
            return state.cutCircles(of: thread)
        }
        if isAnyCut { tellChange() }
        defer { withState { $0.waits[thread] = nil } }
        return body(thread)
    }

    private static var mailboxesHere: [Mailbox] {
        var mailboxes: [Mailbox] = []
        var drain = peal_thread_own_slot()?.pointee.drains
        while let inner = drain {
            mailboxes.append(inner.pointee.mailbox)
            drain = inner.pointee.outer
        }
        return mailboxes
    }
}

extension MediatorState {
    func isCut(_ thread: UInt) -> Bool { waits[thread]?.isCut ?? false }

    /// - Returns: Whether a wait was cut.
    fileprivate mutating func cutCircles(of thread: UInt) -> Bool {
        var isAnyCut = false
        while let circle = circle(from: thread, to: thread, passed: []) {
            func loss(_ delay: Delay) -> Int { waits[delay.thread]?.kind.loss ?? .max }
            // There is one: a thread that is inside no call delays what it starts, stops or ends itself.
            guard let cut = circle.filter(\.isInside).min(by: { loss($0) < loss($1) }) else { break }
            waits[cut.thread]?.isCut = true
            isAnyCut = true
        }
        return isAnyCut
    }

    private typealias Delay = (thread: UInt, isInside: Bool)

    private func circle(from thread: UInt, to start: UInt, passed: Set<UInt>) -> [Delay]? {
        guard let wait = waits[thread], !wait.isCut, !passed.contains(thread) else { return nil }
        for delay in delays(of: wait) {
            if delay.thread == start { return [delay] }
            if let rest = circle(from: delay.thread, to: start, passed: passed.union([thread])) { return [delay] + rest }
        }
        return nil
    }

    /// The waiting threads on which a wait depends, and whether each is inside a call that must end first.
    private func delays(of wait: ModuleWait) -> [Delay] {
        waits.compactMap { thread, other in
            guard !other.isCut else { return nil }
            let module = wait.module
            guard !wait.kind.isStep else {
                // Events do not delay a step, but all that runs on its queue.
                let isOnQueue = module.queue.map { other.mailboxes.contains($0.mailbox) } ?? false
                return isOnQueue || module.status.callers.contains(thread) ? (thread, true) : nil
            }
            if module.isCalled(on: thread) { return (thread, true) }
            return wait.kind.isMove && module.status.mover == thread ? (thread, false) : nil
        }
    }
}

extension Module {
    /// Under the lock: whether a thread is inside one of its calls. The thread waits, or is the calling one.
    func isCalled(on thread: UInt) -> Bool {
        if status.callers.contains(thread) { return true }
        guard let slot = UnsafeMutablePointer<peal_thread>(bitPattern: thread), peal_thread_depth(slot) > 0 else { return false }
        return (status.observations + status.ended).contains { peal_thread_runs(slot, $0.gate) }
    }

    /// The same for the calling thread.
    var isCalledHere: Bool { isCalled(on: Mediator.thisThread) }
}
