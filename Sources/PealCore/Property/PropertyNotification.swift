internal import CPealSupport
import PealCall

/// Notifies the observers of a property. One thread at a time notifies: the notifier, which has set `is_notifying` of the
/// element.
struct PropertyNotification {
    typealias Place = UnsafeMutablePointer<peal_property_element>

    let element: Place
    let id: UInt64

    /// Both values of a change, as bytes; texts with their zeros.
    struct Values {
        let old: UnsafeMutableRawPointer
        let new: UnsafeMutableRawPointer
        let newSize: Int
        let isText: Bool
    }

    /// - Returns: True if a queue refused a call.
    @inline(__always)
    func notify(_ values: Values) -> Bool {
        var isRejected = false
        if hasObservers(.changed) {
            // A tapped method has a list even without observers.
            peal_tap_note(UInt32(PEAL_TAP_PROPERTY_SET.rawValue), id, 0, 0)
            isRejected = broadcast(.changed, nil, 0)
        }
        if hasObservers(.values), notifyValues(values) { isRejected = true }
        if hasObservers(.record), notifyRecord(.record, values, isPrior: false) { isRejected = true }
        return isRejected
    }

    func notifyPrior(_ values: Values) -> Bool {
        hasObservers(.prior) && notifyRecord(.prior, values, isPrior: true)
    }

    @inline(__always)
    private func hasObservers(_ way: NotificationKind) -> Bool { peal_property_has_observers(element, way.rawValue) }

    @inline(__always)
    private func notifyValues(_ values: Values) -> Bool {
        values.isText ? notifyTexts(values) : broadcastValues(values.old, values.new)
    }

    /// The arguments are the pointers to the texts.
    @inline(__always)
    private func notifyTexts(_ values: Values) -> Bool {
        var texts: (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) = (values.old, values.new)
        return withUnsafeMutablePointer(to: &texts) { texts in
            let first = UnsafeMutableRawPointer(texts)
            return broadcastValues(first, first + MemoryLayout<UnsafeMutableRawPointer?>.stride)
        }
    }

    @inline(__always)
    private func broadcastValues(_ old: UnsafeMutableRawPointer, _ new: UnsafeMutableRawPointer) -> Bool {
        var arguments: (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) = (old, new)
        return withUnsafePointer(to: &arguments) { arguments in
            let first = UnsafeRawPointer(arguments).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
            return broadcast(.values, first, 2)
        }
    }

    @inline(never)
    private func notifyRecord(_ way: NotificationKind, _ values: Values, isPrior: Bool) -> Bool {
        Self.withRecord(values, property: id, kind: PEAL_CHANGE_SET, isPrior: isPrior) { arguments in
            broadcast(way, arguments, 1)
        }
    }

    /// Runs `body` with the one argument of a notification with a record.
    static func withRecord<Result>(
        _ values: Values, property: UInt64, kind: peal_change_kind, isPrior: Bool,
        _ body: (Broadcast.Arguments) -> Result
    ) -> Result {
        var record = peal_change_begin(property, kind, isPrior)
        record.is_text = values.isText
        record.value_size = values.newSize
        record.old_value = UnsafeRawPointer(values.old)
        record.new_value = UnsafeRawPointer(values.new)
        return withUnsafeMutablePointer(to: &record) { record in
            var pointer: UnsafeMutableRawPointer? = UnsafeMutableRawPointer(record)
            return withUnsafeMutablePointer(to: &pointer) { pointer in
                var argument: UnsafeMutableRawPointer? = UnsafeMutableRawPointer(pointer)
                return withUnsafePointer(to: &argument) { body($0) }
            }
        }
    }

    @inline(__always)
    private func broadcast(_ way: NotificationKind, _ arguments: Broadcast.Arguments?, _ count: Int) -> Bool {
        let method = peal_property_method_element(element, way.rawValue)
        let answer: Refusal = Broadcast.send(
            peal_property_method(element, way.rawValue), at: method, arguments, count, nil, nil)
        return answer.isRefused
    }
}

/// True if a queue refused a call of a broadcast.
private struct Refusal: BroadcastAnswer {
    let isRefused: Bool

    static var done: Refusal { Refusal(isRefused: false) }

    @inline(__always)
    init(isRefused: Bool) { self.isRefused = isRefused }

    init(_ outcome: Broadcast.Outcome) {
        switch outcome {
        case .rejected, .captureFailed, .outOfMemory: isRefused = true
        // Any other failure means that the property has ended meanwhile, and its observers with it.
        default: isRefused = false
        }
    }
}

/// The record of `prior` and `recorded`. See `struct peal_change`.
enum PropertyRecord {
    private static let made = Guarded<TypeHooks?>(nil)

    /// The functions that copy a record for a queue and free the copy; nil when memory is short. The next use tries
    /// again.
    static var hooks: TypeHooks? {
        made.madeOnce {
            let hooks = try? TypeHooks.structure(copy: { peal_change_copy($0) }, destroy: { peal_change_destroy($0) })
            hooks?.register()
            return hooks
        }
    }
}
