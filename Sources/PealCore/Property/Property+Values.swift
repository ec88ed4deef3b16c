internal import CPealSupport
import PealCall

/// Reads and sets values by a property's id where that is fast. Neither function allocates, waits for a lock, or
/// accesses the property's object. They are not members of the class, whose metadata would have to be looked up first.
public enum PropertyAccess {
    /// - Returns: False on failure: `Property.readFailure` returns the reason.
    public static func readFast(_ id: UInt64, into out: UnsafeMutableRawPointer, size: Int) -> Bool {
        guard let element = peal_property_element_of(id) else { return false }
        return peal_property_read(element, id, out, size) == PEAL_PROPERTY_READ
    }

    /// Sets a short value if nothing requires the general path, and notifies the observers. No batch may be open.
    ///
    /// - Returns: True if a queue refused a call; nil if the value was not set, and `Property.set` must set it.
    @inline(__always)
    public static func setFast(_ id: UInt64, _ value: UnsafeRawPointer, size: Int) -> Bool? {
        guard let element = peal_property_element_of(id) else { return nil }
        return peal_property_is_text(element)
            ? setTextFast(element, id, value, size: size) : setValueFast(element, id, value, size: size)
    }

    @_optimize(speed) @inline(never)
    private static func setValueFast(
        _ element: PropertyNotification.Place, _ id: UInt64, _ value: UnsafeRawPointer, size: Int
    ) -> Bool? {
        // A fixed size, for which the compiler reserves part of the stack directly.
        return withUnsafeTemporaryAllocation(
            byteCount: 2 * Int(PEAL_PROPERTY_SHORT), alignment: CopyPlan.alignment
        ) { room in
            let old = room.baseAddress.unsafelyUnwrapped
            guard peal_property_set_fast(element, id, value, size, old) else { return nil }
            let new = old + Int(PEAL_PROPERTY_SHORT)
            return notify(element, id, PropertyNotification.Values(old: old, new: new, newSize: size, isText: false))
        }
    }

    /// - Parameter value: Points to the pointer to the text.
    @_optimize(speed) @inline(never)
    private static func setTextFast(
        _ element: PropertyNotification.Place, _ id: UInt64, _ value: UnsafeRawPointer, size: Int
    ) -> Bool? {
        guard size == MemoryLayout<UnsafePointer<CChar>>.size,
            let text = value.loadUnaligned(as: UnsafePointer<CChar>?.self)
        else { return nil }
        return withUnsafeTemporaryAllocation(
            byteCount: 2 * Int(PEAL_PROPERTY_SHORT), alignment: CopyPlan.alignment
        ) { room in
            let old = room.baseAddress.unsafelyUnwrapped
            let newSize = peal_property_set_text_fast(element, id, text, old.assumingMemoryBound(to: UInt64.self))
            guard newSize > 0 else { return nil }
            let new = old + Int(PEAL_PROPERTY_SHORT)
            return notify(element, id, PropertyNotification.Values(old: old, new: new, newSize: newSize, isText: true))
        }
    }

    @inline(__always)
    private static func notify(
        _ element: PropertyNotification.Place, _ id: UInt64, _ values: PropertyNotification.Values
    ) -> Bool {
        let notification = PropertyNotification(element: element, id: id)
        let isRejected = notification.notify(values)
        return notification.end() || isRejected
    }
}

extension Property {
    public static func readFailure(_ id: UInt64, size: Int) -> Failure {
        guard let property = Handles.properties.find(id) else { return .staleProperty }
        return property.type.isText
            ? Failure(.type, "property \(property.name) is a text; read it with peal_property_get_text")
            : property.wrongSize(size)
    }

    /// Reads as much of a text as fits, and appends a zero.
    ///
    /// - Returns: The length of the whole text in bytes.
    public static func readText(
        _ id: UInt64, into buffer: UnsafeMutablePointer<CChar>?, capacity: Int
    ) throws(Failure) -> Int {
        let property = try find(id)
        guard property.type.isText else {
            throw Failure(
                .type, "property \(property.name) is \(property.typeText) and no text; read it with peal_property_get")
        }
        var length = 0
        guard peal_property_read_text(property.element, id, buffer, capacity, &length) == PEAL_PROPERTY_READ else {
            throw .staleProperty
        }
        return length
    }

    public struct SetOutcome {
        /// False if the set expected another value than the current one.
        public let isSet: Bool
        /// Observers are notified later.
        public let isDeferred: Bool
        /// A queue refused a call.
        public let isRejected: Bool
    }

    /// - Parameter expected: Sets only if this is still the value; nil: in any case.
    public static func set(
        _ id: UInt64, _ value: UnsafeRawPointer, size: Int, expected: UnsafeRawPointer? = nil
    ) throws(Failure) -> SetOutcome {
        let outcome = try PropertySet(id, value, size: size, expected: expected).run()
        return SetOutcome(isSet: outcome.isSet, isDeferred: outcome.isDeferred, isRejected: outcome.isRejected)
    }
}
