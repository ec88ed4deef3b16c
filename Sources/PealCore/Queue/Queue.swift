internal import CPealSupport
import PealCall

/// Delivers calls later, one after another.
public final class Queue: Sendable {
    public enum Kind: UInt32, Sendable { case serial, pumped, executor, main }

    /// The options of a queue.
    public struct Options {
        public typealias Submit = @convention(c) (UnsafeMutableRawPointer?, UInt64) -> Bool
        public typealias Destroy = @convention(c) (UnsafeMutableRawPointer?) -> Void

        public var kind = Kind.serial
        public var overflow = Overflow.reject
        /// The maximum number of waiting items; 0: no limit.
        public var capacity = 0
        /// The maximum time that a broadcast waits for room, in milliseconds.
        public var wait: UInt32 = 0
        public var submit: Submit?
        public var context: UnsafeMutableRawPointer?
        public var destroy: Destroy?
        public var owner: Owner?
        /// The name of the threads that run a serial queue.
        public var name: UnsafePointer<CChar>?

        public init() {}
    }

    // Exists until the end of this object, and longer if calls wait.
    nonisolated(unsafe) let mailbox: Mailbox
    let owner: Owner?
    /// Guarded by a lock of the mailbox. The lock also makes each access exclusive, so exclusivity is not checked at
    /// run time.
    @exclusivity(unchecked) private nonisolated(unsafe) var members = Members()

    private struct Members {
        var observers = ObserverSet<LinkOfQueue>()
        /// The records of timers.
        var timers = ObserverSet<LinkOfQueue>()
        /// Nil once the queue has ended. A program may have many queues, so no further member states the end.
        var modules: [UInt64: Module]? = [:]

        var isEnded: Bool { modules == nil }
    }

    private init(mailbox: Mailbox, owner: Owner?) {
        self.mailbox = mailbox
        self.owner = owner
    }

    deinit {
        peal_mailbox_release(mailbox)
    }

    /// If this fails, the caller must run the destroy callback.
    public static func make(_ options: Options) throws(Failure) -> Queue {
        if options.kind == .serial { try Executor.start() }
        guard let mailbox = peal_mailbox_make(peal_mailbox_kind(options.kind.rawValue)) else { throw .outOfMemory }
        peal_mailbox_set_overflow(mailbox, UInt8(options.overflow.rawValue))
        peal_mailbox_executor_of(mailbox)?.pointee.submit = options.submit
        mailbox.pointee.context = options.context
        mailbox.pointee.destroy = options.destroy
        guard mailbox.setBound(options), options.name.map({ peal_mailbox_set_name(mailbox, $0) }) ?? true else {
            peal_mailbox_release(mailbox)
            throw .outOfMemory
        }
        let queue: Queue
        do throws(Failure) {
            queue = try Handles.queues.insert { id in
                mailbox.pointee.id = id
                return Queue(mailbox: mailbox, owner: options.owner)
            }
        } catch {
            peal_mailbox_release(mailbox)
            throw error
        }
        do throws(Failure) {
            try options.owner?.add(queue)
        } catch {
            Handles.queues.remove(queue.id)
            throw error
        }
        return queue
    }

    private static let madeMain = Guarded<Queue?>(nil)

    /// The queue of the main thread; nil when memory is short. The next use tries again.
    public static var main: Queue? {
        madeMain.madeOnce {
            var options = Options()
            options.kind = .main
            return try? make(options)
        }
    }

    public var id: UInt64 { mailbox.pointee.id }

    var kind: Kind { Kind(rawValue: peal_mailbox_kind_of(mailbox).rawValue) ?? .serial }

    /// Ends the queue: its observers are removed, its calls dropped.
    public func end() throws(Failure) {
        guard kind != .main else {
            throw Failure(.state, "the main queue cannot be ended; end only queues that peal_queue_create has created")
        }
        guard Handles.queues.retire(id) else { throw .staleQueue }
        let (observers, timers, modules) = withMembers { members in
            let modules = members.modules.take() ?? [:]
            // A timer does not keep the queue. Its end finds the queue by the queue's handle, which may be recycled by then.
            return (members.observers.kept, members.timers.removeAll(), modules)
        }
        for record in observers.records where record.close() { record.unlist() }
        for record in timers.records { Handles.timers.find(record.pointee.id)?.close() }
        mailbox.end()
        mailbox.finishIfIdle()
        for module in modules.values { module.noteQueueEnded() }
    }

    /// Removes the queue from its owner. Called once no function of the host is called any more.
    func leaveOwner() { owner?.remove(self) }

    var isEnded: Bool { withMembers { $0.isEnded } }

    /// The caller must hold the center's lock, because a thread that has closed the observer removes it from its queue after
    /// it has held the lock.
    func addMember(_ record: Observer) throws(Failure) {
        try addMember { $0.observers.add(record) }
    }

    func removeMember(_ record: Observer) {
        nonisolated(unsafe) let record = record
        withMembers { _ = $0.observers.remove(record) }
    }

    func addMember(_ timer: Timer) throws(Failure) {
        try addMember { $0.timers.add(timer.observer) }
    }

    func removeMember(_ timer: Timer) {
        withMembers { _ = $0.timers.remove(timer.observer) }
    }

    func addMember(_ module: Module) throws(Failure) {
        try addMember { $0.modules?[module.id] = module }
    }

    func removeMember(_ module: Module) {
        let removed = withMembers { $0.modules?.removeValue(forKey: module.id) }
        // The last reference is released without the lock.
        withExtendedLifetime(removed) {}
    }

    /// Fails if the queue was created before a fork and the parent process has the threads that run it.
    func checkIsOwn() throws(Failure) {
        guard mailbox.pointee.is_left else { return }
        throw Failure(
            .state,
            "the queue was created before the fork, and the threads that run it are in the parent process; create a queue in this process"
        )
    }

    private func withMembers<Value>(_ body: (inout Members) -> Value) -> Value {
        peal_mailbox_lock_members(mailbox)
        defer { peal_mailbox_unlock_members(mailbox) }
        return body(&members)
    }

    private func addMember(_ add: (inout Members) -> Void) throws(Failure) {
        try checkIsOwn()
        let isKept = withMembers { members in
            if !members.isEnded { add(&members) }
            return !members.isEnded
        }
        guard isKept else { throw .staleQueue }
    }
}

extension Failure {
    public static let staleQueue = Failure(
        .handle, "the queue's handle is invalid: zero, never created, or of a queue that has ended")
}

extension Mailbox {
    /// Called once, before another thread has the mailbox. Returns false if memory is refused.
    fileprivate func setBound(_ options: Queue.Options) -> Bool {
        guard options.capacity > 0 else { return true }
        guard peal_mailbox_make_extras(self), let extras = pointee.extras else { return false }
        extras.pointee.capacity = options.capacity
        extras.pointee.wait = options.wait
        // Pushes to a bounded queue use the lock, because a thread that makes room or waits for room needs it.
        peal_mailbox_shut(self)
        return true
    }

    /// Drops the waiting calls. Runs the waiting tasks here. Later tasks run on the threads that push them.
    fileprivate func end() {
        peal_mailbox_lock(self)
        pointee.is_ended = true
        peal_mailbox_shut(self)
        let remains = takeAll { _ in true }
        remains?.forEach { pointee.dropped += UInt64($0.pointee.count) }
        peal_mailbox_set_descriptor(self, false)
        peal_mailbox_unlock(self)
        peal_mailbox_signal(self)
        remains?.discardAll()
    }
}

/// The treatment of new calls when a bounded queue is full. The raw values are the interface's.
public enum Overflow: UInt32, Sendable {
    case reject, dropOldest, dropNewest, keepLatest, wait
}
