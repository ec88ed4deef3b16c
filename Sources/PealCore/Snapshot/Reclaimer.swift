internal import CPealSupport
import PealCall

/// Frees replaced lists once no reader holds them, and ends the observers that were on no other.
///
/// A reader that a writer waits for is asked to tell when it lets go; so an observer's destroy
/// callback runs as soon as its last call has returned, and a callback that runs long keeps alive the
/// list that it was called from and nothing else.
enum Reclaimer {
    /// What readers may still hold. Unchecked: it is out of its method, and belongs to whoever takes it
    /// from here.
    enum Retired: @unchecked Sendable {
        case list(Snapshot)
        /// A closed method's place, which another method may take when nobody reads it any more.
        case place(Method)
        /// An instance that its service gave up.
        case instance(Instance)

        fileprivate var held: UnsafePointer<peal_snapshot> {
            switch self {
            case .list(let list): UnsafePointer(list)
            case .place(let method): UnsafePointer(peal_directory_nobody(method.place))
            case .instance(let instance): instance.hazard
            }
        }
    }

    private static let retired = Guarded<[Retired]>([])

    /// How much may wait for the next removal. Registrations only leave memory behind, so they need not
    /// pay for a collection each.
    private static let backlog = 64

    /// Takes over what is no longer published.
    ///
    /// The caller must hold the lock under which the replacement was published. A removal on another thread
    /// takes that lock later and collects afterwards, so the removal finds every list that names its observer.
    /// The Reclaimer's lock is the inner one; no user code runs here.
    static func retire(_ leaving: [Retired]) {
        guard !leaving.isEmpty else { return }
        retired.withLock { $0 += leaving }
    }

    /// Collects if many retired lists wait. Call with no lock held.
    static func collectBacklog() {
        if retired.withLock({ $0.count > backlog }) { collect() }
    }

    /// What a reader does after it let a list go and may have been asked to tell.
    @inline(never)
    static func answer(_ hold: UnsafeMutablePointer<peal_thread_hold>) {
        if peal_hold_is_asked(hold) { collect() }
    }

    /// Frees what no reader holds, and asks the holders of the rest. Call with no lock held: destroy callbacks
    /// run here.
    ///
    /// Lists release their observers under the lock. A removal that finds a list gone from here has therefore
    /// the last reference to its observer, also if another thread collects at the same time.
    static func collect() {
        let (free, finished) = retired.withLock { retired -> ([Retired], Finished) in
            var free: [Retired] = []
            var finished = Finished()
            repeat {
                peal_thread_writer_fence()
                // Split by hand: one look at each, since a reader may let go between two.
                var held: [Retired] = []
                for candidate in retired {
                    if peal_thread_any_holds(candidate.held) {
                        held.append(candidate)
                    } else {
                        free.append(candidate)
                        if case .list(let list) = candidate { finished.records += list.letGoOfObservers() }
                    }
                }
                retired = held
                // A reader may have released its list before it could see the question.
            } while !askHolders(of: retired)
            return (free, finished)
        }
        for last in finished.records + free.flatMap(release) { ObserverLife.end(last) }
    }

    /// Records whose last list is gone. Unchecked: they belong to who has this.
    private struct Finished: @unchecked Sendable {
        var records: [UnsafeMutablePointer<ObserverRecord>] = []
    }

    private static func release(_ retired: Retired) -> [UnsafeMutablePointer<ObserverRecord>] {
        switch retired {
        case .list(let list):
            return list.free()
        case .place(let method):
            Handles.methods.recycle(method.number)
            return []
        case .instance(let instance):
            instance.dropBase()
            return []
        }
    }

    /// - Returns: Whether a reader of each is sure to collect it.
    private static func askHolders(of waiting: [Retired]) -> Bool {
        waiting.reduce(true) { areAsked, retired in peal_thread_ask_holders(retired.held) && areAsked }
    }
}
