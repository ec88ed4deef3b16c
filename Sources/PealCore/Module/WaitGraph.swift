internal import CPealSupport
import PealCall
internal import Synchronization

/// A thread that waits for what calls on other threads may delay.
final class ThreadWait: Sendable {
    enum Subject: Sendable {
        /// For a module's step, which may need a queue.
        case step(ModuleStep.Kind, of: Module)
        /// Until none of a module's steps and events runs.
        case calls(of: Module)
        /// For the thread that starts, stops or ends a module.
        case move(of: Module)
        /// Until none of an owner's code runs.
        case retirement(of: Owner)
    }

    let thread: UInt
    let subject: Subject
    /// The queues whose calls the waiting thread is inside.
    // Compared only: the waiting thread keeps them alive.
    nonisolated(unsafe) fileprivate let mailboxes: [Mailbox]
    private let cut = Atomic(false)

    fileprivate init(_ subject: Subject) {
        thread = Mediator.thisThread
        self.subject = subject
        mailboxes = Self.mailboxesHere
    }

    /// Whether the wait is over because it was part of a circle.
    var isCut: Bool { cut.load(ordering: .acquiring) }

    fileprivate func cutOff() {
        cut.store(true, ordering: .releasing)
        switch subject {
        case .step(_, let module), .calls(let module), .move(let module): module.mediator.tellChange()
        // Who waits for an owner looks again in time.
        case .retirement: break
        }
    }

    /// The less is lost by a cut, the lower.
    fileprivate var loss: Int {
        switch subject {
        case .calls, .move, .retirement: 0
        case .step(.answer, _): 1
        case .step(.stop, _): 3
        case .step: 2
        }
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

/// Which thread waits for which. Threads that wait inside a call, each for what another one delays, would wait
/// for ever. The last of them to begin finds the circle and cuts the wait of one that is inside a call. What that
/// thread would have waited for is done elsewhere, or its step is given up, and its function says so.
enum WaitGraph {
    /// The lock is an outer one: mediators and owners are asked under it.
    private static let waits = Guarded<[UInt: ThreadWait]>([:])

    /// Runs what waits. Call with no lock held.
    static func waiting<Result>(for subject: ThreadWait.Subject, _ body: (ThreadWait) -> Result) -> Result {
        let wait = ThreadWait(subject)
        let cut = waits.withLock { waits in
            waits[wait.thread] = wait
            return cutCircles(through: wait, in: waits)
        }
        for other in cut { other.cutOff() }
        defer { waits.withLock { $0[wait.thread] = nil } }
        return body(wait)
    }

    /// How long a wait that looks again can miss a cut, in nanoseconds.
    static var pause: UInt64 { 2_000_000 }

    private typealias Delay = (wait: ThreadWait, isInside: Bool)

    /// - Returns: The waits to cut, so that no circle is left.
    private static func cutCircles(through wait: ThreadWait, in waits: [UInt: ThreadWait]) -> [ThreadWait] {
        var left = waits.filter { !$0.value.isCut }
        var cut: [ThreadWait] = []
        while left[wait.thread] != nil {
            var passed: Set<UInt> = []
            // There is one that is inside: a thread that is inside no call delays what it starts, stops or ends itself.
            guard let circle = circle(from: wait, to: wait.thread, in: left, &passed),
                let least = circle.filter(\.isInside).map(\.wait).min(by: { $0.loss < $1.loss })
            else { break }
            left[least.thread] = nil
            cut.append(least)
        }
        return cut
    }

    private static func circle(
        from wait: ThreadWait, to start: UInt, in waits: [UInt: ThreadWait], _ passed: inout Set<UInt>
    ) -> [Delay]? {
        guard passed.insert(wait.thread).inserted else { return nil }
        for other in waits.values {
            guard let isInside = isDelayed(wait, by: other) else { continue }
            if other.thread == start { return [(other, isInside)] }
            if let rest = circle(from: other, to: start, in: waits, &passed) { return [(other, isInside)] + rest }
        }
        return nil
    }

    /// Whether a wait depends on another waiting thread, and if so, whether that is inside a call that must end
    /// first.
    private static func isDelayed(_ wait: ThreadWait, by other: ThreadWait) -> Bool? {
        switch wait.subject {
        case .step(_, let module):
            // Events do not delay a step, but all that runs on its queue.
            let isOnQueue = module.queue.map { other.mailboxes.contains($0.mailbox) } ?? false
            return isOnQueue || module.mediator.withState({ _ in module.status.callers.contains(other.thread) }) ? true : nil
        case .calls(let module):
            return module.mediator.withState { _ in module.isCalled(on: other.thread) } ? true : nil
        case .move(let module):
            return module.mediator.withState { _ in module.isMoved(by: other.thread) }
        case .retirement(let owner):
            let remains = owner.read(OwnerRemains.init)
            if remains.isCalled(on: other.thread) || remains.queues.contains(where: { other.mailboxes.contains($0.mailbox) }) {
                return true
            }
            if remains.ender == other.thread { return false }
            return remains.modules.lazy
                .compactMap { module in module.mediator.withState { _ in module.isMoved(by: other.thread) } }.first
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

    /// Under the lock: whether a thread delays its start, stop or end; and if so, whether from inside a call of it.
    fileprivate func isMoved(by thread: UInt) -> Bool? {
        if isCalled(on: thread) { return true }
        return status.mover == thread || status.retirer == thread ? false : nil
    }
}
