internal import CPealSupport
import PealCall

/// Reads and sets values by a property's number where that is fast. Neither function allocates, waits for a lock, or
/// touches the property's object. They are not the class's own, because a class would have its metadata looked up first.
public enum PropertyAccess {
    /// - Returns: False on failure: `Property.readFailure` knows the reason.
    public static func readFast(_ number: UInt64, into out: UnsafeMutableRawPointer, size: Int) -> Bool {
        guard let place = peal_property_place_of(number) else { return false }
        return peal_property_read(place, number, out, size) == PEAL_PROPERTY_READ
    }

    /// Sets a short value where nothing is special, and notifies the observers.
    ///
    /// - Returns: Whether a queue refused a call; nil where the value was not set, and `Property.set` has to.
    @_optimize(speed) @inline(never)
    public static func setFast(_ number: UInt64, _ value: UnsafeRawPointer, size: Int) -> Bool? {
        guard let place = peal_property_place_of(number) else { return nil }
        // A fixed size, which the compiler takes from the stack as it is.
        return withUnsafeTemporaryAllocation(
            byteCount: 2 * Int(PEAL_PROPERTY_SHORT), alignment: CopyPlan.alignment
        ) { room in
            let old = room.baseAddress.unsafelyUnwrapped
            if peal_property_is_text(place) { return setTextFast(place, number, value, size: size, old) }
            guard peal_property_set_shortly(place, number, value, size, old) else { return nil }
            let new = old + Int(PEAL_PROPERTY_SHORT)
            return tell(place, number, PropertyNotification.Values(old: old, new: new, newSize: size, isText: false))
        }
    }

    /// The same with a batch open: observers are notified when it ends.
    ///
    /// - Returns: False where the value was not set, and `Property.set` has to.
    public static func setInBatch(_ number: UInt64, _ value: UnsafeRawPointer, size: Int) -> Bool {
        guard let place = peal_property_place_of(number) else { return false }
        return peal_property_set_in_batch(place, number, value, size)
    }

    /// - Parameter value: Points to the pointer to the text.
    @inline(never)
    private static func setTextFast(
        _ place: PropertyNotification.Place, _ number: UInt64, _ value: UnsafeRawPointer, size: Int,
        _ old: UnsafeMutableRawPointer
    ) -> Bool? {
        var newSize = 0
        guard size == MemoryLayout<UnsafePointer<CChar>>.size,
            let text = value.loadUnaligned(as: UnsafePointer<CChar>?.self),
            peal_property_set_text_shortly(place, number, text, old, &newSize)
        else { return nil }
        let new = old + Int(PEAL_PROPERTY_SHORT)
        return tell(place, number, PropertyNotification.Values(old: old, new: new, newSize: newSize, isText: true))
    }

    @inline(__always)
    private static func tell(_ place: PropertyNotification.Place, _ number: UInt64, _ values: PropertyNotification.Values) -> Bool {
        let telling = PropertyNotification(place: place, number: number)
        let isRejected = telling.tell(values)
        return peal_property_rest(place) ? isRejected : telling.drainMore() || isRejected
    }
}

extension Property {
    public static func readFailure(_ number: UInt64, size: Int) -> Failure {
        guard let property = Handles.properties.find(number) else { return .staleProperty }
        return property.type.isText
            ? Failure(.type, "property \(property.name) is a text; read it with peal_property_get_text")
            : property.wrongSize(size)
    }

    /// Reads a text as far as it fits, with a zero behind it.
    ///
    /// - Returns: The bytes of the whole text.
    public static func readText(
        _ number: UInt64, into buffer: UnsafeMutablePointer<CChar>?, capacity: Int
    ) throws(Failure) -> Int {
        let property = try find(number)
        guard property.type.isText else {
            throw Failure(.type, "property \(property.name) is \(property.typeText) and no text; read it with peal_property_get")
        }
        var length = 0
        guard peal_property_read_text(property.place, number, buffer, capacity, &length) == PEAL_PROPERTY_READ else {
            throw .staleProperty
        }
        return length
    }

    public struct SetOutcome {
        /// Whether it was, of a set that expects a value.
        public let isSet: Bool
        /// Observers are told later.
        public let isDeferred: Bool
        /// A queue refused a call.
        public let isRejected: Bool
    }

    /// - Parameter expected: Sets only where this is the value still; nil: whatever it is.
    public static func set(
        _ number: UInt64, _ value: UnsafeRawPointer, size: Int, expected: UnsafeRawPointer? = nil
    ) throws(Failure) -> SetOutcome {
        let outcome = try PropertySet(number, value, size: size, expected: expected).run()
        return SetOutcome(isSet: outcome.isSet, isDeferred: outcome.isDeferred, isRejected: outcome.isRejected)
    }
}

extension PropertyNotification {
    /// What came while this thread told.
    @inline(never)
    func drainMore() -> Bool {
        _ = peal_property_lock(place)
        return drain()
    }
}
