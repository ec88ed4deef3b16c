/// The slots of a handle table. They know no type of object: one copy of their code serves all tables, and a lookup
/// from another module needs no type metadata.
///
/// A number holds the table's tag (4 bits), the generation of its slot (32) and the slot's index (28).
/// A slot whose generations are used up is given up. (Generational indices, as in slot maps and in
/// sokol's resource pools.)
struct HandleSlots: Sendable {
    typealias Object = any AnyObject & Sendable

    private struct Slot {
        var generation: UInt32 = 1
        /// The number is stale. The object is kept until the number is recycled.
        var isRetired = false
        var object: Object?
    }

    private let tag: UInt64
    private let limit: Int
    private var slots: [Slot] = []
    private var free: [UInt32] = []

    static var indexBits: UInt64 { 28 }
    private static var largestIndex: UInt64 { (1 << indexBits) - 1 }

    init(tag: UInt64, limit: Int) {
        self.tag = tag
        self.limit = limit
    }

    static func index(of number: UInt64) -> Int {
        Int(number & largestIndex)
    }

    mutating func insert(_ make: (UInt64) -> Object?) -> Object? {
        if free.isEmpty {
            guard slots.count < limit else { return nil }
            free.append(UInt32(slots.count))
            slots.append(Slot())
            // Removing must not need memory.
            free.reserveCapacity(slots.capacity)
        }
        let index = Int(free.removeLast())
        let generation = UInt64(slots[index].generation)
        guard let object = make(tag << 60 | generation << Self.indexBits | UInt64(index)) else {
            free.append(UInt32(index))
            return nil
        }
        slots[index].object = object
        return object
    }

    func find(_ number: UInt64, evenRetired: Bool) -> Object? {
        guard let index = slot(of: number), evenRetired || !slots[index].isRetired else { return nil }
        return slots[index].object
    }

    var all: [Object] { slots.compactMap(\.object) }

    mutating func retire(_ number: UInt64) -> Object? {
        guard let index = slot(of: number), !slots[index].isRetired else { return nil }
        slots[index].isRetired = true
        return slots[index].object
    }

    /// Frees the slot of a number that is retired, or that is not.
    mutating func remove(_ number: UInt64, isRetired: Bool) -> Object? {
        guard let index = slot(of: number), slots[index].isRetired == isRetired else { return nil }
        let object = slots[index].object.take()
        slots[index].isRetired = false
        if slots[index].generation < .max {
            slots[index].generation += 1
            free.append(UInt32(index))
        }
        return object
    }

    private func slot(of number: UInt64) -> Int? {
        let index = Self.index(of: number)
        guard number >> 60 == tag, index < slots.count, slots[index].object != nil,
            number >> Self.indexBits & 0xffff_ffff == UInt64(slots[index].generation)
        else { return nil }
        return index
    }
}
