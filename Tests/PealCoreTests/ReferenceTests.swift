import CPealSupport
import Testing

@testable import PealCore

/// The suite is serialized, because no other test may take a free slot that a test reads.
@Suite(.serialized) struct ReferenceTests {
    private func make() throws -> UInt64 {
        try Reference.make(.allocate(byteCount: 8, alignment: 8), destroy: { $0?.deallocate() })
    }

    @Test func `a handle outlives its object as a weak reference, also when its slot is used again`() throws {
        let number = try make()
        #expect(Reference.tryRetain(number) && Reference.count(number) == 2)
        try Reference.release(number)
        try Reference.release(number)
        let next = try make()
        #expect(next & 0xfff_ffff == number & 0xfff_ffff && next != number)
        #expect(!Reference.tryRetain(number) && Reference.count(number) == 0)
        #expect(throws: Failure.self) { try Reference.release(number) }
        #expect(throws: Failure.self) { try Reference.object(of: number) }
        #expect(Reference.count(next) == 1)
        try Reference.release(next)
    }

    @Test func `O11: the next handle of a free slot is not alive before an object has it`() throws {
        let first = try make()
        let second = try make()
        try Reference.release(first)
        try Reference.release(second)
        // The free slots form a list. A link of this list must not be read as a count.
        #expect(!Reference.tryRetain(second + 1 << 28) && Reference.count(second + 1 << 28) == 0)
        #expect(throws: Failure.self) { try Reference.release(second + 1 << 28) }
    }

    @Test func `a reference beyond the range of the count is refused and not counted`() throws {
        let number = try make()
        let slot = try #require(peal_slot_at(peal_slots_of(PEAL_SLOTS_REFERENCES), UInt32(number & 0xfff_ffff)))
        // The count is set directly, because four billion retains take too long.
        slot.pointee.word |= 0xffff_ffff
        #expect(!Reference.tryRetain(number))
        #expect { try Reference.retain(number) } throws: { ($0 as? Failure)?.kind == .limit }
        #expect(Reference.count(number) == 0xffff_ffff)
        slot.pointee.word -= 0xffff_fffe
        try Reference.release(number)
    }
}
