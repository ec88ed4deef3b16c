import Testing

@testable import PealCore

private final class Thing: Sendable {
    let number: UInt64
    init(_ number: UInt64) { self.number = number }
}

@Suite struct HandleTableTests {
    @Test func `O11 a number finds its object until it is removed, and nothing after`() throws {
        let table = HandleTable<Thing>(tag: 7, limit: 8)
        let thing = try #require(table.insert(Thing.init))
        #expect(table.find(thing.number) === thing)
        #expect(table.remove(thing.number) === thing)
        #expect(table.find(thing.number) == nil)
        #expect(table.remove(thing.number) == nil)
    }

    @Test func `O11 a slot that is used again has another number`() throws {
        let table = HandleTable<Thing>(tag: 7, limit: 1)
        let first = try #require(table.insert(Thing.init))
        table.remove(first.number)
        let second = try #require(table.insert(Thing.init))
        #expect(second.number != first.number)
        #expect(table.find(first.number) == nil)
        #expect(table.find(second.number) === second)
    }

    @Test func `a retired number is stale, and keeps its object until it is recycled, once`() throws {
        let table = HandleTable<Thing>(tag: 7, limit: 1)
        let thing = try #require(table.insert(Thing.init))
        #expect(table.recycle(thing.number) == nil)
        #expect(table.retire(thing.number) === thing)
        #expect(table.find(thing.number) == nil && table.retire(thing.number) == nil)
        #expect(table.findEvenRetired(thing.number) === thing && table.all.first === thing)
        #expect(table.insert(Thing.init) == nil)
        #expect(table.recycle(thing.number) === thing)
        #expect(table.recycle(thing.number) == nil && table.findEvenRetired(thing.number) == nil && table.all.isEmpty)
        #expect(table.insert(Thing.init) != nil)
    }

    @Test(arguments: [0, 1, .max, 7 << 60, 7 << 60 | 1 << 28 | 5, 6 << 60 | 1 << 28] as [UInt64])
    func `O11 zero, made-up and foreign numbers find nothing`(_ number: UInt64) {
        let table = HandleTable<Thing>(tag: 7, limit: 8)
        _ = table.insert(Thing.init)
        #expect(table.find(number) == nil)
    }

    @Test func `a full table refuses, and a refused object takes no number`() throws {
        let table = HandleTable<Thing>(tag: 7, limit: 2)
        #expect(table.insert { _ in nil } == nil)
        _ = table.insert(Thing.init)
        _ = table.insert(Thing.init)
        #expect(table.insert(Thing.init) == nil)
    }
}
