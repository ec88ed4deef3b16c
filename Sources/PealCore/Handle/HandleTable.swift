import PealCall

/// Objects by number. A number is never used twice, so a stale one finds nothing.
///
/// Each table has its tag in its numbers, so a number of another table finds nothing either.
public final class HandleTable<Object: AnyObject & Sendable>: Sendable {
    private let slots: Guarded<HandleSlots>

    static var indexBits: UInt64 { HandleSlots.indexBits }

    init(tag: UInt64, limit: Int) {
        slots = Guarded(HandleSlots(tag: tag, limit: limit))
    }

    /// The slot that a number points at, in whichever table.
    static func index(of number: UInt64) -> Int {
        HandleSlots.index(of: number)
    }

    /// Takes a number and puts what `make` builds for it in its place; nil when all numbers are taken
    /// or nothing was built.
    ///
    /// `make` runs under the table's lock and must use no table.
    func insert(_ make: (UInt64) -> Object?) -> Object? {
        typed(slots.withLock { slots in slots.insert { number in make(number) } })
    }

    public func find(_ number: UInt64) -> Object? {
        typed(slots.withLock { slots in slots.find(number, evenRetired: false) })
    }

    /// The same, also where the number has been retired and not recycled yet.
    func findEvenRetired(_ number: UInt64) -> Object? {
        typed(slots.withLock { slots in slots.find(number, evenRetired: true) })
    }

    /// All objects at this moment, those of retired numbers too.
    var all: [Object] {
        slots.withLock { slots in slots.all }.compactMap(typed)
    }

    /// Makes a number stale and returns what it named, or nil when it was stale already. Its slot may be
    /// taken again.
    @discardableResult
    func remove(_ number: UInt64) -> Object? {
        typed(slots.withLock { slots in slots.remove(number, isRetired: false) })
    }

    /// Makes a number stale, but keeps its object, and its slot from being taken, until the number is recycled.
    @discardableResult
    func retire(_ number: UInt64) -> Object? {
        typed(slots.withLock { slots in slots.retire(number) })
    }

    /// Frees the slot of a retired number. Of all callers that try one succeeds.
    ///
    /// - Returns: The object, which the table keeps no more.
    @discardableResult
    func recycle(_ number: UInt64) -> Object? {
        typed(slots.withLock { slots in slots.remove(number, isRetired: true) })
    }

    /// Unchecked: only objects of the table's type are inserted.
    private func typed(_ object: (any AnyObject & Sendable)?) -> Object? {
        guard let object else { return nil }
        return unsafeDowncast(object, to: Object.self)
    }
}
