import PealCall

/// Objects by number. A number is never used twice, so a stale one finds nothing.
///
/// A number holds the table's tag (4 bits), the generation of its slot (32) and the slot's index (28).
/// A slot whose generations are used up is given up. (Generational indices, as in slot maps and in
/// sokol's resource pools.)
public final class HandleTable<Object: AnyObject & Sendable>: Sendable {
    private struct Slot {
        var generation: UInt32 = 1
        /// The number is stale. The object is kept until the number is recycled.
        var isRetired = false
        var object: Object?
    }

    private struct State {
        var slots: [Slot] = []
        var free: [UInt32] = []
    }

    private let tag: UInt64
    private let limit: Int
    private let state = Guarded(State())

    static var indexBits: UInt64 { 28 }
    private static var largestIndex: UInt64 { (1 << indexBits) - 1 }

    init(tag: UInt64, limit: Int) {
        self.tag = tag
        self.limit = limit
    }

    /// The slot that a number points at, in whichever table.
    static func index(of number: UInt64) -> Int {
        Int(number & largestIndex)
    }

    /// Takes a number and puts what `make` builds for it in its place; nil when all numbers are taken
    /// or nothing was built.
    ///
    /// `make` runs under the table's lock and must use no table.
    func insert(_ make: (UInt64) -> Object?) -> Object? {
        state.withLock { state in
            if state.free.isEmpty {
                guard state.slots.count < limit else { return nil }
                state.free.append(UInt32(state.slots.count))
                state.slots.append(Slot())
            }
            let index = Int(state.free.removeLast())
            let generation = UInt64(state.slots[index].generation)
            guard let object = make(tag << 60 | generation << Self.indexBits | UInt64(index)) else {
                state.free.append(UInt32(index))
                return nil
            }
            state.slots[index].object = object
            return object
        }
    }

    public func find(_ number: UInt64) -> Object? {
        state.withLock { state in
            slot(of: number, in: state).flatMap { state.slots[$0].isRetired ? nil : state.slots[$0].object }
        }
    }

    /// The same, also where the number has been retired and not recycled yet.
    func findEvenRetired(_ number: UInt64) -> Object? {
        state.withLock { state in
            slot(of: number, in: state).flatMap { state.slots[$0].object }
        }
    }

    /// All objects at this moment, those of retired numbers too.
    var all: [Object] {
        state.withLock { state in state.slots.compactMap(\.object) }
    }

    /// Makes a number stale and returns what it named, or nil when it was stale already. Its slot may be
    /// taken again.
    @discardableResult
    func remove(_ number: UInt64) -> Object? {
        state.withLock { state in
            guard let index = slot(of: number, in: state), !state.slots[index].isRetired else { return nil }
            return free(index, in: &state)
        }
    }

    /// Makes a number stale, but keeps its object, and its slot from being taken, until the number is recycled.
    @discardableResult
    func retire(_ number: UInt64) -> Object? {
        state.withLock { state in
            guard let index = slot(of: number, in: state), !state.slots[index].isRetired else { return nil }
            state.slots[index].isRetired = true
            return state.slots[index].object
        }
    }

    /// Frees the slot of a retired number. Of all callers that try one succeeds.
    ///
    /// - Returns: The object, which the table keeps no more.
    @discardableResult
    func recycle(_ number: UInt64) -> Object? {
        guard number >> 60 == tag else { return nil }
        return state.withLock { state in
            guard let index = slot(of: number, in: state), state.slots[index].isRetired else { return nil }
            return free(index, in: &state)
        }
    }

    private func free(_ index: Int, in state: inout State) -> Object? {
        let object = state.slots[index].object.take()
        state.slots[index].isRetired = false
        if state.slots[index].generation < .max {
            state.slots[index].generation += 1
            state.free.append(UInt32(index))
        }
        return object
    }

    private func slot(of number: UInt64, in state: borrowing State) -> Int? {
        let index = Self.index(of: number)
        guard number >> 60 == tag, index < state.slots.count, state.slots[index].object != nil,
            number >> Self.indexBits & 0xffff_ffff == UInt64(state.slots[index].generation)
        else { return nil }
        return index
    }
}
