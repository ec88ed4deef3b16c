internal import CPealSupport
import PealCall

/// Frees replaced lists when no reader protects them, and ends removed observers when no call of them runs.
///
/// A writer requests each reader that still protects such an object to collect after its release. So an observer's
/// destroy callback runs when the broadcast that called it last has ended. A slow callback keeps alive only its own
/// observer and the list that it was called from.
enum Reclaimer {
    /// Memory that readers may still protect. An entry retains no object, so it costs only its words. Unchecked: no
    /// method leads to it any more, and the thread that removes it from here owns it.
    enum Retired: BitwiseCopyable, @unchecked Sendable {
        case list(Snapshot)
        /// The id of a closed method. Another method may use the slot when no thread reads it any more.
        case element(UInt64)
        /// The id of a protocol that has ended.
        case proto(UInt64)
        /// The id of an instance that its service has released.
        case instance(UInt64)
        /// A removed observer, with the reference of its registration.
        case observer(UnsafeMutablePointer<ObserverRecord>)
        /// The same for an observer without extras and without a destroy callback, with a pin of its id.
        case pinnedObserver(Observer)

        /// Call after a writer fence.
        fileprivate var isProtected: Bool {
            switch self {
            case .list(let list): peal_thread_any_protects(list)
            case .element(let id): Reclaimer.list(ofClosed: id).map { peal_thread_any_protects($0) } ?? false
            case .proto(let id): Handles.protocols.hazard(of: id).map { peal_thread_any_protects($0) } ?? false
            case .instance(let id): Instance.hazard(of: id).map { peal_thread_any_protects($0) } ?? false
            case .observer(let record), .pinnedObserver(let record): Reclaimer.isRun(record)
            }
        }

        /// - Returns: True if a reader is certain to collect it.
        fileprivate func requestCollection() -> Bool {
            switch self {
            case .list(let list): peal_thread_request_release(list)
            case .element(let id): Reclaimer.list(ofClosed: id).map { peal_thread_request_release($0) } ?? true
            case .proto(let id): Handles.protocols.hazard(of: id).map { peal_thread_request_release($0) } ?? true
            case .instance(let id): Instance.hazard(of: id).map { peal_thread_request_release($0) } ?? true
            case .observer(let record), .pinnedObserver(let record): peal_thread_request_runners(record.gate)
            }
        }
    }

    /// An array that no code copies. So an addition does not test whether it is shared.
    private struct RetiredObjects: @unchecked Sendable {
        // Unchecked: the memory is its own, and a lock guards it.
        private var start: UnsafeMutablePointer<Retired>
        private var capacity: Int
        private(set) var count = 0

        init(capacity: Int) {
            start = .allocate(capacity: capacity)
            self.capacity = capacity
        }

        @inline(__always)
        mutating func append(_ object: Retired) {
            if count == capacity { setCapacity(2 * capacity) }
            (start + count).initialize(to: object)
            count &+= 1
        }

        /// Moves all objects of another array to this one.
        mutating func append(moving others: inout RetiredObjects) {
            if capacity - count < others.count { setCapacity(max(2 * capacity, count + others.count)) }
            (start + count).moveInitialize(from: others.start, count: others.count)
            count += others.count
            others.count = 0
        }

        func deallocate() { start.deallocate() }

        subscript(index: Int) -> Retired { start[index] }

        /// Moves the objects that no reader protects to other memory, with room for all. Each object is tested exactly
        /// once, because a reader may release it between two tests.
        ///
        /// - Returns: The number of moved objects.
        mutating func moveUnprotected(to free: UnsafeMutablePointer<Retired>) -> Int {
            var kept = 0
            // Most collections begin while no thread reads anything.
            let areProtected = peal_thread_any_slot_is_occupied()
            for index in 0..<count {
                if areProtected, start[index].isProtected {
                    start[kept] = start[index]
                    kept += 1
                } else {
                    if case .pinnedObserver(let record) = start[index] { Handles.observations.tryRemovePinned(record) }
                    (free + index - kept).initialize(to: start[index])
                }
            }
            let moved = count - kept
            count = kept
            return moved
        }

        /// The memory is kept for later objects, unless very many were retired at once.
        mutating func shrinkIfEmpty() {
            if count == 0, capacity > maximumRoom { setCapacity(backlog) }
        }

        /// Sends requests to the readers of the objects.
        ///
        /// - Returns: True if a reader of each is certain to collect it.
        func requestCollection() -> Bool {
            var areRequested = true
            for index in 0..<count where !start[index].requestCollection() { areRequested = false }
            return areRequested
        }

        @inline(never)
        private mutating func setCapacity(_ wanted: Int) {
            let memory = UnsafeMutablePointer<Retired>.allocate(capacity: wanted)
            memory.moveInitialize(from: start, count: count)
            start.deallocate()
            start = memory
            capacity = wanted
        }
    }

    private static let retired = Guarded(RetiredObjects(capacity: 2 * backlog))

    /// The number of objects that may wait for the next collection. Registrations retire only memory, so they need not
    /// pay for a collection each. A collection allocates an array of up to twice as many. In glibc, an array of a kilobyte
    /// would merge all small memory that was freed.
    private static let backlog = 30
    private static let maximumRoom = 1024

    /// Adds objects that are no longer published.
    ///
    /// No lock is acquired after the reclaimer's, and no user code runs under it.
    static func retire(_ leaving: [Retired]) {
        guard !leaving.isEmpty else { return }
        retired.withLock { retired in
            for object in leaving { retired.append(object) }
        }
    }

    /// Adds one object that is no longer published.
    static func retire(_ leaving: Retired) {
        retired.withLock { $0.append(leaving) }
    }

    /// Adds one object that is no longer published, and collects if many objects wait. Call with no lock held.
    static func leave(_ leaving: Retired) {
        let isFull = retired.withLock { retired in
            retired.append(leaving)
            return retired.count > backlog
        }
        if isFull { collect() }
    }

    /// Observers that were removed from one center, and lists that removals replaced. The center's lock guards
    /// them. A removal holds it in any case, so it need not acquire the reclaimer's lock.
    ///
    /// An observer without extras may also stay in a large index, where each element is a cache miss. Its removal
    /// prefetches the element, which is freed later.
    struct Leaving {
        private var objects = RetiredObjects(capacity: Self.capacity)
        /// The number of objects before the first observer that may still be in the index of its protocol.
        private var unindexed = Int.max

        private static let capacity = 30

        /// Adds an object whose addition to the reclaimer may wait for more objects, and retires all objects if there are
        /// many.
        ///
        /// - Returns: True if the caller must collect once it holds no lock.
        @inline(__always)
        mutating func add(_ object: Retired) -> Bool {
            objects.append(object)
            return objects.count > Self.capacity - 2 && retire()
        }

        /// Adds an observer and the list that its removal has replaced, if any, as `add` does.
        @inline(__always)
        mutating func add(_ list: Snapshot?, with record: Observer) -> Bool {
            if let list { objects.append(.list(list)) }
            return add(.pinnedObserver(record))
        }

        /// Removes the observers that have left from the indexes of their protocols. Call before an index is read.
        @inline(__always)
        mutating func unindex() {
            if unindexed < objects.count { unindexRest() }
        }

        @inline(never)
        private mutating func unindexRest() {
            for index in unindexed..<objects.count {
                guard case .pinnedObserver(let record) = objects[index] else { continue }
                record.borrowedTables.with { tables in _ = tables.proto.state.observers.remove(record) }
            }
            unindexed = .max
        }

        /// Notes that an observer that is about to be added is still in the index.
        mutating func noteIndexed() { unindexed = min(unindexed, objects.count) }

        /// Retires all objects.
        ///
        /// - Returns: True if so many objects are retired that the caller must collect once it holds no lock.
        @discardableResult @inline(never)
        mutating func retire() -> Bool {
            unindex()
            return Reclaimer.retired.withLock { retired in
                retired.append(moving: &objects)
                return retired.count > backlog
            }
        }

        /// Retires all objects of a center that ends. No object is added afterwards.
        mutating func end() {
            retire()
            objects.deallocate()
        }
    }

    /// Collects if many retired lists wait. Call with no lock held.
    static func collectBacklog() {
        if retired.withLock({ $0.count > backlog }) { collect() }
    }

    /// Runs `body` under the reclaimer's lock. A list that `body` finds in a hazard slot is not freed meanwhile, and no
    /// retired id of an observer is removed, because the collecting thread loads the slots and selects objects under the
    /// same lock.
    static func keeping<Value>(_ body: () -> Value) -> Value {
        retired.withLock { _ in body() }
    }

    /// Leaves a published list only its first entries, if no thread reads it. Readers that begin meanwhile may miss the
    /// other entries, so these must have ended. The caller must hold the center's lock.
    ///
    /// - Returns: True if no thread can read the other entries any more.
    static func shorten(_ list: Snapshot, to count: Int) -> Bool {
        let all = list.count
        peal_snapshot_set_count(list, UInt32(count))
        return keeping {
            peal_thread_writer_fence()
            guard peal_thread_any_protects(list) else { return true }
            peal_snapshot_set_count(list, UInt32(all))
            return false
        }
    }

    /// Called by a reader after the release of a list whose attention word is not zero. Collects if a writer requested
    /// it.
    @inline(never)
    static func answer(_ hazard: UnsafeMutablePointer<peal_hazard_slot>) {
        if peal_hazard_test_and_clear_requested(hazard) { collect() }
    }

    /// Frees the objects that no reader protects, and sends requests to the readers of the others. Call with no lock
    /// held: destroy callbacks run here.
    static func collect() {
        let free = retired.withLock { retired in
            // The initializer would write to the storage that all empty arrays share.
            guard retired.count > 0 else { return [Retired]() }
            return [Retired](unsafeUninitializedCapacity: retired.count) { free, count in
                guard let start = free.baseAddress else { return }
                repeat {
                    peal_thread_writer_fence()
                    count += retired.moveUnprotected(to: start + count)
                    retired.shrinkIfEmpty()
                    // A reader may have released its list before it could see the request.
                } while !retired.requestCollection()
            }
        }
        release(free)
    }

    /// Frees the list from which an observer was removed, and releases the observer. No thread may read the list.
    @inline(__always)
    static func free(_ list: Snapshot?, with record: Observer) {
        var ended = EndedRecords()
        release(list, with: record, &ended)
        ended.release()
    }

    /// The counts of an observer that was alone in the list are released by one operation.
    @inline(__always)
    private static func release(_ list: Snapshot?, with record: Observer, _ ended: inout EndedRecords) {
        var counts: UInt32 = 0
        if let list, list.isOf(record) {
            list.freeSingle()
            counts = 1
        } else {
            list?.free()
        }
        ObserverLife.releasePinned(record, counts: counts, &ended)
    }

    private static func release(_ objects: [Retired]) {
        var index = 0
        var ended = EndedRecords()
        while index < objects.count {
            defer { index += 1 }
            switch objects[index] {
            case .list(let list):
                // A list is retired before the observer that was removed from it.
                guard index + 1 < objects.count, case .pinnedObserver(let record) = objects[index + 1] else {
                    list.free()
                    continue
                }
                release(list, with: record, &ended)
                index += 1
            case .pinnedObserver(let record): ObserverLife.releasePinned(record, counts: 0, &ended)
            case let other:
                // Code of the program may run.
                ended.release()
                release(other)
            }
        }
        ended.release()
    }

    private static func release(_ retired: Retired) {
        switch retired {
        case .list(let list): list.free()
        case .element(let id):
            MethodNames.free(id)
            Invocation.unpinSpareBlocks(of: id)
            Handles.methods.recycle(id)?.lastCalls?.end()
        case .proto(let id): Handles.protocols.recycle(id)
        case .instance(let id): Instance(id)?.dropBase()
        case .observer(let record): ObserverLife.release(record)
        case .pinnedObserver(let record): ObserverLife.releasePinned(record)
        }
    }

    /// Ends a removed observer, as the next function does.
    static func end(_ record: Observer) {
        peal_thread_writer_fence()
        guard isRun(record) else { return ObserverLife.release(record) }
        retire(.observer(record))
        collect()
    }

    /// Ends removed observers. If a call of an observer runs, the calling thread ends it: see `collect`. Call with no
    /// lock held: destroy callbacks run here.
    static func end(_ records: [UnsafeMutablePointer<ObserverRecord>]) {
        guard !records.isEmpty else { return }
        peal_thread_writer_fence()
        var running: [Retired] = []
        // An observer without a running call is not retired: another thread could collect it, and end it later.
        for record in records {
            if isRun(record) { running.append(.observer(record)) } else { ObserverLife.release(record) }
        }
        guard !running.isEmpty else { return }
        retire(running)
        collect()
    }

    private static func list(ofClosed method: UInt64) -> Snapshot? {
        peal_directory_find(method).map { peal_directory_empty_list($0) }
    }

    /// Returns true if a call of a closed observer runs on any thread.
    private static func isRun(_ record: UnsafeMutablePointer<ObserverRecord>) -> Bool {
        peal_thread_others_run(nil, record.gate)
    }
}
