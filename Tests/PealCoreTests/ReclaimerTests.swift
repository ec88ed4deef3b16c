import CPealSupport
import Testing

@testable import PealCore

/// Tests when observers are destroyed. The suite is serialized, because the process has one list of retired memory.
@Suite(.serialized) struct ReclaimerTests {
    @Test func `O8: an observer that no thread protects is destroyed by its removal`() throws {
        let fixture = try Fixture("void ping(void)")
        defer { fixture.end() }
        let counter = Counter()
        let number = try fixture.observe(counter.value, { _ in }) { $0.destroy = Counter.add }
        try Observation.remove(number)
        #expect(counter.value.pointee == 1)
    }

    @Test
    func `O8: an observer that is listed and not called is destroyed by its removal, while its list is protected`()
        throws
    {
        let fixture = try Fixture("void ping(void)")
        defer { fixture.end() }
        let counter = Counter()
        let number = try fixture.observe(counter.value, { _ in }) { $0.destroy = Counter.add }
        #expect(try Broadcast.begin(fixture.methods[0].id, occupied: nil, reachesQueues: false).next != nil)
        try Observation.remove(number)
        #expect(counter.value.pointee == 1)
        _ = Broadcast.end()
        #expect(counter.value.pointee == 1)
    }

    @Test func `O8: an observer whose call runs is destroyed when its list is released`() throws {
        let fixture = try Fixture("void ping(void)")
        defer { fixture.end() }
        let counter = Counter()
        let number = try fixture.observe(counter.value, { _ in }) { $0.destroy = Counter.add }
        try beginCall(of: fixture)
        try Observation.remove(number)
        #expect(counter.value.pointee == 0)
        _ = Broadcast.end()
        #expect(counter.value.pointee == 1)
    }

    /// Protects the method's list, and publishes its first observer as the one being called, as a typed loop does.
    private func beginCall(of fixture: Fixture) throws {
        let entries = try Broadcast.begin(fixture.methods[0].id, occupied: nil, reachesQueues: false)
        let (first, hazard) = (try #require(entries.next), try #require(entries.hazard))
        peal_current_set(peal_hazard_current(hazard), first.pointee.gate)
    }

    @Test func `a list that is protected does not keep observers of other lists alive`() throws {
        let long = try Fixture("void ping(void)")
        defer { long.end() }
        let other = try Fixture("void ping(void)")
        let counter = Counter()
        try long.observe(nil, { _ in })
        let number = try other.observe(counter.value, { _ in }) { $0.destroy = Counter.add }
        #expect(try Broadcast.begin(long.methods[0].id, occupied: nil, reachesQueues: false).next != nil)
        try Observation.remove(number)
        #expect(counter.value.pointee == 1)
        _ = Broadcast.end()
    }

    @Test func `an inner list that is released does not destroy the observer that the outer list calls`() throws {
        let fixture = try Fixture("void ping(void)")
        defer { fixture.end() }
        let other = try Fixture("void ping(void)")
        let counter = Counter()
        let number = try fixture.observe(counter.value, { _ in }) { $0.destroy = Counter.add }
        try other.observe(nil, { _ in })
        try beginCall(of: fixture)
        try Observation.remove(number)
        #expect(other.send().calls == 1)
        #expect(counter.value.pointee == 0)
        _ = Broadcast.end()
        #expect(counter.value.pointee == 1)
    }

    @Test func `O8: a writer collects again unless a thread that was requested to collect still protects a list`()
        throws
    {
        let fixture = try Fixture("void ping(void)")
        defer { fixture.end() }
        try fixture.observe(nil, { _ in })
        let list = UnsafePointer(peal_directory_current(fixture.methods[0].element))
        // The reader has released its list since the writer's test, perhaps without having read the request.
        #expect(!peal_thread_request_release(list))
        #expect(try Broadcast.begin(fixture.methods[0].id, occupied: nil, reachesQueues: false).next != nil)
        #expect(!peal_thread_request_release(list))
        #expect(peal_thread_request_release(list))
        _ = Broadcast.end()
        #expect(!peal_thread_request_release(list))
    }

    @Test func `each of many removals destroys its observer and leaves the others`() throws {
        let fixture = try Fixture("void ping(void)")
        defer { fixture.end() }
        let counters = (0..<200).map { _ in Counter() }
        let numbers = try counters.map { counter in
            try fixture.observe(counter.value, Counter.add) { $0.destroy = Counter.add }
        }
        #expect(fixture.send().calls == 200)
        for number in numbers.enumerated().filter({ $0.offset % 2 == 0 }).map(\.element) {
            try Observation.remove(number)
        }
        #expect(fixture.send().calls == 100)
        // Observers with even indices were called by the first broadcast and destroyed. The others were called by both.
        #expect(counters.allSatisfy { $0.value.pointee == 2 })
        fixture.end()
        #expect(counters.enumerated().allSatisfy { $0.element.value.pointee == ($0.offset % 2 == 0 ? 2 : 3) })
    }
}
