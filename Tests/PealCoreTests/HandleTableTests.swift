import CPealSupport
import Testing

@testable import PealCore

private final class Thing: Sendable {
    let id: UInt64
    init(_ id: UInt64) { self.id = id }
}

/// Makes a table for one test. Its memory is never freed.
private func makeTable(limit: UInt32) -> HandleTable<Thing> {
    let slots = UnsafeMutablePointer<peal_slots>.allocate(capacity: 1)
    slots.initialize(to: peal_slots())
    slots.pointee.tag = 7
    slots.pointee.limit = limit
    slots.pointee.slot_size = UInt32(MemoryLayout<peal_slot>.size)
    return HandleTable(slots, limit: "the table is full")
}

@Suite struct HandleTableTests {
    @Test func `O11: a handle leads to its object until it is removed, and to nothing afterwards`() throws {
        let table = makeTable(limit: 8)
        let thing = try table.insert(Thing.init)
        #expect(table.find(thing.id) === thing)
        #expect(table.remove(thing.id) === thing)
        #expect(table.find(thing.id) == nil)
        #expect(table.remove(thing.id) == nil)
    }

    @Test func `O11: a slot that is used again has another handle`() throws {
        let table = makeTable(limit: 1)
        let first = try table.insert(Thing.init)
        table.remove(first.id)
        let second = try table.insert(Thing.init)
        #expect(second.id != first.id)
        #expect(table.find(first.id) == nil)
        #expect(table.find(second.id) === second)
    }

    @Test func `a retired handle is stale, and keeps its object until its slot is recycled, once`() throws {
        let table = makeTable(limit: 1)
        let thing = try table.insert(Thing.init)
        #expect(table.recycle(thing.id) == nil)
        #expect(table.retire(thing.id))
        #expect(table.find(thing.id) == nil && !table.retire(thing.id))
        #expect(table.findEvenRetired(thing.id) === thing && table.all.first === thing)
        #expect(throws: Failure.self) { try table.insert(Thing.init) }
        #expect(table.recycle(thing.id) === thing)
        #expect(table.recycle(thing.id) == nil && table.findEvenRetired(thing.id) == nil && table.all.isEmpty)
        #expect(throws: Never.self) { try table.insert(Thing.init) }
    }

    @Test(arguments: [0, 1, .max, 7 << 60, 7 << 60 | 1 << 28 | 5, 6 << 60 | 1 << 28] as [UInt64])
    func `O11: zero, invalid and foreign handles lead to nothing`(_ number: UInt64) throws {
        let table = makeTable(limit: 8)
        _ = try table.insert(Thing.init)
        #expect(table.find(number) == nil)
    }

    @Test func `a full table refuses objects, and a refused object takes no handle`() throws {
        let table = makeTable(limit: 2)
        #expect { try table.insert { _ throws(Failure) in throw .staleOwner } } throws: {
            ($0 as? Failure)?.kind == .handle
        }
        _ = try table.insert(Thing.init)
        _ = try table.insert(Thing.init)
        #expect(throws: Failure.self) { try table.insert(Thing.init) }
    }

    @Test func `handles of several chunks lead to their objects, and the slot that was freed last is used first`()
        throws
    {
        let table = makeTable(limit: 5000)
        let things = try (0..<3000).map { _ in try table.insert(Thing.init) }
        #expect(things.allSatisfy { table.find($0.id) === $0 } && table.all.count == 3000)
        table.remove(things[256].id)
        table.remove(things[2999].id)
        let indices = try (0..<3).map { _ in try table.insert(Thing.init).id & 0xfff_ffff }
        #expect(indices == [2999, 256, 3000])
    }
}
