import CPeal
import Dispatch
import Peal
import Testing

@Suite struct GatherTests {
    @Test func `Q8: gathering calls a method on all observers, those on queues too`() async throws {
        let center = try Center()
        var queue = peal_queue(id: 0)
        try #require(peal_queue_create(nil, &queue) == PEAL_OK)
        let direct = try center.observe(Chat.votes) { Int32($0.utf8.count) }
        let queued = try center.observe(Chat.votes, .queue(queue)) { _ in 40 }
        let gathered = try await center.method(Chat.votes).gather(String(repeating: "x", count: 2000))
        #expect(gathered.results.sorted() == [40, 2000])
        #expect(gathered.status == .ok)
        #expect(gathered.asked == 2 && gathered.dropped == 0)
        withExtendedLifetime((direct, queued)) {}
        #expect(peal_queue_destroy(queue) == PEAL_OK)
    }

    @Test
    func `Q8: gathering omits the results that do not arrive before its time limit or the cancellation of the task`()
        async throws
    {
        let center = try Center()
        var options = peal_queue_options()
        options.size = MemoryLayout<peal_queue_options>.size
        options.kind = PEAL_QUEUE_PUMPED
        var queue = peal_queue(id: 0)
        // No thread pumps it.
        try #require(peal_queue_create(&options, &queue) == PEAL_OK)
        let direct = try center.observe(Chat.votes) { _ in 1 }
        let queued = try center.observe(Chat.votes, .queue(queue)) { _ in 2 }
        let method = try center.method(Chat.votes)
        let late = try await method.gather("lobby", timeout: .milliseconds(1))
        #expect(late.status == .timeout)
        #expect(late.results.allSatisfy { $0 == 1 })
        let task = Task { try await method.gather("lobby") }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        withExtendedLifetime((direct, queued)) {}
        #expect(peal_queue_destroy(queue) == PEAL_OK)
    }

    @Test func `a gathering that cannot begin throws`() async throws {
        let center = try Center()
        let method = try center.method(Chat.votes)
        let error = await #expect(throws: PealError.self) { try await method.gather("a\0b") }
        #expect(error?.status == .argument)
    }
}
