public import CPeal

/// An option of an observer. Pass any number, in any order:
///
///     try center.observe(Chat.onMessage, .once, .priority(5)) { room, count in … }
///
/// `struct peal_observe_options` in C.
public enum ObserverOption: Sendable {
    /// Observers with a higher priority are called earlier; 0 by default.
    case priority(Int32)
    /// The observation ends just before its first call, so there is exactly one call, also when broadcasts race.
    case once
    /// Registered with one block: it is not called before ``ObserverToken/unblock()``.
    case blocked
    /// All other observations of the same object on the protocol end once this one is registered.
    case replacing
    /// The same object observes the protocol again, and is called once for each.
    case allowingDuplicates
    /// With a queue: bare pointers among the arguments outlive delivery.
    case borrowing
    /// Where calls are delivered; without it, on the broadcasting thread.
    case queue(peal_queue)
    /// The same, and the registration keeps the queue.
    case on(Queue)
    /// The owner of the observation; without it, the thread's owner, if there is one.
    case owner(peal_owner)
}

extension peal_observe_options {
    /// The options in C.
    init(_ options: [ObserverOption]) {
        self.init()
        size = MemoryLayout<peal_observe_options>.size
        for option in options {
            switch option {
            case .priority(let value): priority = value
            case .once: flags |= UInt32(PEAL_OBSERVE_ONCE.rawValue)
            case .blocked: flags |= UInt32(PEAL_OBSERVE_BLOCKED.rawValue)
            case .borrowing: flags |= UInt32(PEAL_OBSERVE_BORROWED.rawValue)
            case .queue(let handle): queue = handle
            case .on(let kept): queue = kept.handle
            case .owner(let handle): owner = handle
            // Every observer has a target of its own in C, so ObservedObjects implements these options.
            case .replacing, .allowingDuplicates: break
            }
        }
    }
}

extension ObserverOption {
    /// The object that the registration keeps.
    var keptQueue: Queue? {
        if case .on(let queue) = self { queue } else { nil }
    }
}

extension ObserverOption {
    /// The observation belongs to an owner, and ends with it. The caller keeps the owner.
    public static func belonging(to owner: Owner) -> ObserverOption { .owner(owner.handle) }
}
