import Testing

@testable import PealCore

@Suite struct ReferenceTests {
    private func makeObject() -> UnsafeMutableRawPointer {
        .allocate(byteCount: 8, alignment: 8)
    }

    private func make() throws -> UInt64 {
        try Reference.make(makeObject(), destroy: { $0?.deallocate() })
    }

    @Test func `a box outlives its object for as long as it is owned`() throws {
        let number = try make()
        let box = try Reference.box(of: number)
        #expect(box.retain())
        #expect(box.count == 2)
        try Reference.release(number)
        box.release()
        #expect(!box.retain())
        #expect(!box.release())
        #expect(box.count == 0)
        box.disown()
    }

    @Test func `the last release through a box makes the number stale`() throws {
        let number = try make()
        let box = ReferenceBox(address: try Reference.box(of: number).address)
        #expect(box.release())
        #expect(throws: Failure.self) { try Reference.retain(number) }
        #expect(throws: Failure.self) { try Reference.box(of: number) }
        box.disown()
    }

    @Test func `a share beyond the count's range is refused and counts for nothing`() throws {
        let number = try make()
        let box = try Reference.box(of: number)
        // Four billion retains take too long: the shares are the first member.
        box.address.storeBytes(of: .max, as: UInt32.self)
        #expect(!box.retain())
        #expect { try Reference.retain(number) } throws: { ($0 as? Failure)?.kind == .limit }
        #expect(box.count == .max)
        box.address.storeBytes(of: 1, as: UInt32.self)
        box.release()
        box.disown()
    }
}
