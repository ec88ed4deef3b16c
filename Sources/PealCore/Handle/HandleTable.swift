internal import CPealSupport

/// Objects by number. A number is never used twice, so a stale one finds nothing.
///
/// Each table has its tag in its numbers, so a number of another table finds nothing either.
public struct HandleTable<Object: AnyObject & Sendable>: Sendable {
    private let slots: HandleSlots
    private let limitSentence: StaticString

    init(_ slots: UnsafeMutablePointer<peal_slots>, limit: StaticString) {
        self.slots = HandleSlots(slots)
        limitSentence = limit
    }

    /// Takes a number for the object that `make` builds. No lookup finds the object before `make` has returned.
    func insert(_ make: (UInt64) throws(Failure) -> Object) throws(Failure) -> Object {
        try unsafeDowncast(slots.insert(limit: limitSentence, make), to: Object.self)
    }

    public func find(_ number: UInt64) -> Object? {
        typed(slots.find(number, evenRetired: false))
    }

    /// See `HandleSlots.withPinned`.
    @inline(__always)
    func withPinned<Part, Value, Error>(
        _ number: UInt64, _ part: (Object) -> Part, _ body: (Part) throws(Error) -> Value
    ) throws(Error) -> Value? {
        try slots.withPinned(number, { part(unsafeDowncast($0, to: Object.self)) }, body)
    }

    /// The same as `find`, but also finds a number that has been retired and not recycled yet.
    func findEvenRetired(_ number: UInt64) -> Object? {
        typed(slots.find(number, evenRetired: true))
    }

    /// Returns true if the number is not stale. Writes nothing, so concurrent tests do not contend.
    func has(_ number: UInt64) -> Bool { slots.has(number) }

    /// All objects at this time, those of retired numbers too.
    var all: [Object] {
        slots.all.compactMap(typed)
    }

    /// Makes a number stale and returns its object, or nil if the number was stale already. Its slot may be taken
    /// again.
    @discardableResult
    func remove(_ number: UInt64) -> Object? {
        typed(slots.remove(number, isRetired: false))
    }

    /// Makes a number stale. The number keeps its object and its slot until it is recycled.
    ///
    /// - Returns: False if the number was already stale.
    @discardableResult
    func retire(_ number: UInt64) -> Bool { slots.retire(number) }

    /// Frees the slot of a retired number. Exactly one of all callers succeeds.
    ///
    /// - Returns: The object, which the table has released.
    @discardableResult
    func recycle(_ number: UInt64) -> Object? {
        typed(slots.remove(number, isRetired: true))
    }

    /// Unchecked: only objects of the table's type are inserted.
    private func typed(_ object: (any AnyObject & Sendable)?) -> Object? {
        guard let object else { return nil }
        return unsafeDowncast(object, to: Object.self)
    }
}
