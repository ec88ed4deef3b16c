internal import CPealSupport
import PealCall

/// One set of a value, in the general case: texts, batches, comparisons, and sets during a notification.
struct PropertySet {
    private let property: Property
    private let value: PropertyValue
    private let expected: PropertyValue?
    private let thread: UnsafeMutablePointer<peal_thread>

    struct Outcome {
        var isSet = true
        /// Observers are notified later.
        var isDeferred = false
        /// A queue refused a call.
        var isRejected = false
    }

    /// The result of one attempt.
    private enum Step {
        case done(Outcome)
        /// The old text is longer than the room for it.
        case needsRoom(Int)
        /// The observers of `prior` were notified, and this thread is the notifier.
        case hasNotifiedPrior
        /// The maximum number of changes waits for another thread's notification. The failure is thrown if that lasts.
        case isCrowded(Failure)
    }

    init(
        _ id: UInt64, _ given: UnsafeRawPointer, size: Int, expected: UnsafeRawPointer?
    ) throws(Failure) {
        property = try Property.find(id)
        guard size == property.type.size else { throw property.wrongSize(size) }
        value = try PropertyValue(given, of: property.type)
        self.expected = if let expected { try PropertyValue(expected, of: property.type) } else { nil }
        guard let thread = peal_thread_current() else { throw .outOfMemory }
        guard peal_thread_reserve(thread, 2) else {
            guard peal_thread_depth(thread) + 1 >= UInt32(PEAL_THREAD_DEPTH) else { throw .outOfMemory }
            throw Failure(
                .depth,
                "broadcasts are nested \(PEAL_THREAD_DEPTH) deep on this thread; property \(property.name) could not notify its observers"
            )
        }
        self.thread = thread
    }

    func run() throws(Failure) -> Outcome {
        var room = property.type.isText ? 256 : property.type.size
        var isNotifying = false
        var deadline: UInt64?
        // The preparation of a wait for room, made before the attempt that looks for room.
        var prepared: UInt32?
        while true {
            switch try attempt(oldRoom: room, isNotifying: isNotifying) {
            case .isCrowded(let failure):
                let limit = deadline ?? peal_clock_deadline(Self.longestWait)
                guard peal_clock_now() < limit else { throw failure }
                deadline = limit
                if let prepared { _ = peal_event_count_wait(peal_property_room_event_count(), prepared, limit) }
                prepared = peal_event_count_prepare(peal_property_room_event_count())
            case .done(let outcome): return outcome
            case .needsRoom(let needed): room = 2 * needed
            case .hasNotifiedPrior: isNotifying = true
            }
        }
    }

    private var element: PropertyNotification.Place { property.element }
    private var notification: PropertyNotification { PropertyNotification(element: element, id: property.id) }

    /// - Parameter isNotifying: True if this thread is the notifier already.
    private func attempt(oldRoom: Int, isNotifying: Bool) throws(Failure) -> Step {
        var node = peal_change_make(oldRoom, value.size)
        var block = property.type.isText ? peal_property_block_allocate(value.size) : nil
        defer {
            peal_change_free(node)
            peal_property_block_free(block)
        }
        guard let change = node, !property.type.isText || block != nil else {
            if isNotifying { endNotifying() }
            throw .outOfMemory
        }
        peal_property_lock(element)
        let isNotifier = isNotifying || !peal_property_is_notifying(element)
        if let step = try settle(change, oldRoom: oldRoom, isNotifying: isNotifying) { return step }
        block = write(change, block)
        change.pointee.property = property.id
        change.pointee.prior_is_notified = isNotifying
        if peal_thread_batches() > 0, !isNotifying {
            node = peal_batch_add(element, change, thread)
            peal_property_unlock(element)
            return .done(Outcome(isDeferred: true))
        }
        peal_property_append(element, change)
        node = nil
        guard isNotifier else {
            peal_property_unlock(element)
            return .done(Outcome(isDeferred: true))
        }
        peal_property_begin_notifying(element, thread)
        // If an earlier change is in another thread's batch, this one waits for that batch too.
        let isBatched = peal_property_is_batched(element)
        return .done(Outcome(isDeferred: isBatched, isRejected: notification.drain()))
    }

    /// Handles all cases in which the attempt ends before the value is written. The caller must hold the lock, which is
    /// released in these cases.
    private func settle(
        _ change: PropertyChange, oldRoom: Int, isNotifying: Bool
    ) throws(Failure) -> Step? {
        guard peal_property_is_of(element, property.id) else {
            if isNotifying { _ = notification.drain() } else { peal_property_unlock(element) }
            throw .staleProperty
        }
        let oldSize = notification.currentSize
        guard oldSize <= oldRoom else {
            peal_property_unlock(element)
            return .needsRoom(oldSize)
        }
        fill(change, oldSize)
        if let isSet = isSetAlready(change) {
            if isNotifying { _ = notification.drain() } else { peal_property_unlock(element) }
            return .done(Outcome(isSet: isSet))
        }
        guard isNotifying || peal_property_try_admit_change(element, thread, Self.maximumWaiting) else {
            // Another thread's observers are slow. Inside a call, or with a batch open, this thread does not wait,
            // because these observers may wait for it. A thread that has just ended its notification is the notifier
            // again at once, because changes wait.
            let mayWait =
                !(peal_property_is_notifying(element) && element.pointee.notifier == UnsafeRawPointer(thread))
                && peal_thread_depth(thread) == 0 && peal_thread_batches() == 0 && !peal_property_is_batched(element)
            peal_property_unlock(element)
            let failure = Failure(
                .limit,
                "property \(property.name) has \(Self.maximumWaiting) waiting changes; end the recursion of an observer that sets it in each notification, and give a slow observer a queue"
            )
            if mayWait { return .isCrowded(failure) }
            throw failure
        }
        return notifiesPrior(isNotifying) ? notifyPrior(change) : nil
    }

    private static var maximumWaiting: UInt32 { 65_536 }
    /// The maximum time that a set waits for room, in milliseconds.
    private static var longestWait: UInt32 { 1000 }

    private func fill(_ change: PropertyChange, _ oldSize: Int) {
        peal_change_lay_out(change, oldSize, value.size)
        peal_property_load(peal_property_current(element), peal_change_old(change), oldSize)
        let new = peal_change_new(change)
        if let bytes = value.bytes { new.copyMemory(from: bytes, byteCount: value.size) }
        if let mask = element.pointee.mask { peal_property_close_gaps(new, mask, value.size) }
    }

    /// Returns nil if the value must be set. Otherwise returns true if the set counts as done, and false if it expected
    /// another value.
    private func isSetAlready(_ change: PropertyChange) -> Bool? {
        let old = UnsafeRawPointer(peal_change_old(change))
        if let expected, !isEqual(expected, to: old, change) { return false }
        return property.ignoresEqual && isEqual(value, to: old, change) ? true : nil
    }

    private func isEqual(_ value: PropertyValue, to old: UnsafeRawPointer, _ change: PropertyChange) -> Bool {
        guard value.size == change.pointee.old_size, let bytes = value.bytes else { return false }
        return peal_property_equals(bytes, old, element.pointee.mask, value.size)
    }

    /// Returns true if the observers of `prior` are notified before the value changes. This requires that this thread
    /// may notify now and that no other change waits.
    private func notifiesPrior(_ isNotifying: Bool) -> Bool {
        !isNotifying && expected == nil && !peal_property_is_notifying(element) && element.pointee.first == nil
            && peal_thread_batches() == 0
            && peal_property_has_observers(element, NotificationKind.prior.rawValue)
    }

    private func notifyPrior(_ change: PropertyChange) -> Step {
        peal_property_begin_notifying(element, thread)
        peal_property_unlock(element)
        _ = notification.notifyPrior(
            PropertyNotification.Values(
                old: peal_change_old(change), new: peal_change_new(change), newSize: value.size,
                isText: property.type.isText))
        return .hasNotifiedPrior
    }

    /// - Returns: The unused block.
    private func write(
        _ change: PropertyChange, _ block: UnsafeMutablePointer<peal_property_block>?
    ) -> UnsafeMutablePointer<peal_property_block>? {
        guard property.type.isText else {
            peal_property_write(element, peal_change_new(change), value.size)
            return block
        }
        return peal_property_write_text(element, peal_change_new(change), value.size - 1, block)
    }

    /// After `prior` was notified and the set failed: notifies of the changes that were added meanwhile.
    private func endNotifying() {
        peal_property_lock(element)
        _ = notification.drain()
    }
}

extension Property {
    func wrongSize(_ size: Int) -> Failure {
        Failure(.type, "property \(name) is \(typeText), of \(type.size) bytes; the value given has \(size)")
    }
}
