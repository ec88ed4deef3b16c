internal import CPealSupport
import PealCall

/// Frees replaced lists once no reader holds them, and ends removed observers once no call of them runs.
///
/// A reader that a writer waits for is asked to collect when it releases its list; so an observer's destroy callback
/// runs when the broadcast that called it last has ended, and a callback that runs long keeps alive its own observer
/// and the list that it was called from.
enum Reclaimer {
    /// Memory that readers may still protect. No object is counted for it, so an entry costs nothing but its words. Unchecked: it is
    /// out of its method, and belongs to whoever takes it from here.
    enum Retired: BitwiseCopyable, @unchecked Sendable {
        case list(Snapshot)
        /// The number of a closed method, whose slot another method may take when no thread reads it any more.
        case place(UInt64)
        /// The number of an instance that its service has released.
        case instance(UInt64)
        /// A removed observer, with the reference of its registration.
        case observer(UnsafeMutablePointer<ObserverRecord>)

        /// Call after a writer fence.
        fileprivate var isHeld: Bool {
            switch self {
            case .list(let list): peal_thread_any_protects(list)
            case .place(let number): Reclaimer.list(ofClosed: number).map { peal_thread_any_protects($0) } ?? false
            case .instance(let number): Instance.hazard(of: number).map { peal_thread_any_protects($0) } ?? false
            case .observer(let record): Reclaimer.isRun(record)
            }
        }

        /// - Returns: Whether a reader is sure to collect it.
        fileprivate func askHolders() -> Bool {
            switch self {
            case .list(let list): peal_thread_request_release(list)
            case .place(let number): Reclaimer.list(ofClosed: number).map { peal_thread_request_release($0) } ?? true
            case .instance(let number): Instance.hazard(of: number).map { peal_thread_request_release($0) } ?? true
            case .observer(let record): peal_thread_ask_runners(record.gate)
            }
        }
    }

    private static let retired = Guarded<[Retired]>([])

    /// How much may wait for the next removal. Registrations only leave memory behind, so they need not
    /// pay for a collection each.
    private static let backlog = 64
    private static let mostRoom = 1024

    /// Takes over what is no longer published.
    ///
    /// The Reclaimer's lock is an inner one; no user code runs here.
    static func retire(_ leaving: [Retired]) {
        guard !leaving.isEmpty else { return }
        retired.withLock { $0 += leaving }
    }

    /// The same for one object.
    static func retire(_ leaving: Retired) {
        retired.withLock { $0.append(leaving) }
    }

    /// The same, and collects if many objects wait. Call with no lock held.
    static func leave(_ leaving: Retired) {
        let isFull = retired.withLock { retired in
            retired.append(leaving)
            return retired.count > backlog
        }
        if isFull { collect() }
    }

    /// Collects if many retired lists wait. Call with no lock held.
    static func collectBacklog() {
        if retired.withLock({ $0.count > backlog }) { collect() }
    }

    /// What a reader does after it let a list go and may have been asked to tell.
    @inline(never)
    static func answer(_ hold: UnsafeMutablePointer<peal_hazard_slot>) {
        if peal_hazard_test_and_clear_requested(hold) { collect() }
    }

    /// Frees what no reader holds, and asks the holders of the rest. Call with no lock held: destroy callbacks
    /// run here.
    static func collect() {
        let free = retired.withLock { retired -> [Retired] in
            var free: [Retired] = []
            free.reserveCapacity(retired.count)
            repeat {
                peal_thread_writer_fence()
                // Split by hand: one look at each, since a reader may release it between two.
                var held = 0
                for index in retired.indices {
                    if retired[index].isHeld {
                        retired.swapAt(held, index)
                        held += 1
                    } else {
                        free.append(retired[index])
                    }
                }
                // The room stays, unless very many were retired at once.
                retired.removeLast(retired.count - held)
                if retired.isEmpty, retired.capacity > mostRoom { retired = [] }
                // A reader may have released its list before it could see the question.
            } while !askHolders(of: retired)
            return free
        }
        for candidate in free { release(candidate) }
    }

    private static func release(_ retired: Retired) {
        switch retired {
        case .list(let list): list.free()
        case .place(let number):
            MethodNames.free(number)
            Handles.methods.recycle(number)
        case .instance(let number): Handles.instances.find(number)?.dropBase()
        case .observer(let record): ObserverLife.release(record)
        }
    }

    /// - Returns: Whether a reader of each is sure to collect it.
    private static func askHolders(of waiting: [Retired]) -> Bool {
        waiting.reduce(true) { areAsked, retired in retired.askHolders() && areAsked }
    }

    /// Ends a removed observer, as the next function does.
    static func end(_ record: Observer) {
        peal_thread_writer_fence()
        guard isRun(record) else { return ObserverLife.release(record) }
        retire(.observer(record))
        collect()
    }

    /// Ends removed observers. Of one whose call runs, the thread that runs it does: see `collect`. Call with no lock
    /// held: destroy callbacks run here.
    static func end(_ records: [UnsafeMutablePointer<ObserverRecord>]) {
        guard !records.isEmpty else { return }
        peal_thread_writer_fence()
        var running: [Retired] = []
        // One that does not run is not retired: another thread could take it from there, and end it later.
        for record in records {
            if isRun(record) { running.append(.observer(record)) } else { ObserverLife.release(record) }
        }
        guard !running.isEmpty else { return }
        retire(running)
        collect()
    }

    private static func list(ofClosed method: UInt64) -> Snapshot? {
        peal_directory_find(method).map { peal_directory_nobody($0) }
    }

    /// Whether a call of a closed observer runs, on any thread.
    private static func isRun(_ record: UnsafeMutablePointer<ObserverRecord>) -> Bool {
        peal_thread_others_run(nil, record.gate)
    }
}
