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
        #expect(gathered.observers == 2 && gathered.dropped == 0)
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
        // No thread pumps this queue.
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

private protocol Plugin: AnyObject, Sendable {
    func name() async -> String
}
private final class Local: Plugin {
    func name() async -> String { "local" }
}
private actor Remote: Plugin {
    let latch: Latch?
    init(_ latch: Latch? = nil) { self.latch = latch }
    func name() async -> String {
        _ = await latch?.opened()
        return "remote"
    }
}

@Suite struct GatherTypeTests {
    @Test func `answers of a Swift protocol's observers are gathered, also from actors and queues`() async throws {
        let center = try Center()
        let (local, remote, queued) = (Local(), Remote(), Local())
        let queue = try Queue()
        try center.observe((any Plugin).self, for: local)
        try center.observe((any Plugin).self, for: remote)
        try center.observe((any Plugin).self, for: queued, .on(queue))
        let gathered = try await center.gather((any Plugin).self) { await $0.name() }
        #expect(gathered.results.sorted() == ["local", "local", "remote"])
        #expect(gathered.status == .ok && gathered.observers == 3 && gathered.dropped == 0)
        withExtendedLifetime((local, remote, queued)) {}
    }

    @Test func `a gathering of a Swift protocol ends at its limit, with its task, and without late answers`()
        async throws
    {
        let center = try Center()
        let latch = Latch()
        let (local, remote) = (Local(), Remote(latch))
        try center.observe((any Plugin).self, for: local)
        try center.observe((any Plugin).self, for: remote)
        let late = try await withLongerLimits {
            try await center.gather((any Plugin).self, timeout: $0) { await $0.name() }
        } until: { late in
            defer { latch.open() }
            return !late.results.isEmpty
        }
        #expect(late.status == .timeout)
        #expect(late.results == ["local"])
        let task = Task { try await center.gather((any Plugin).self) { await $0.name() } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        latch.open()
        withExtendedLifetime((local, remote)) {}
    }

    @Test func `an observer that ends before its turn is counted as dropped`() async throws {
        let center = try Center()
        let queue = try Queue.pumped()
        let waiting = Local()
        let observation = try center.observe((any Plugin).self, for: waiting, .on(queue))
        async let gathered = center.gather((any Plugin).self) { await $0.name() }
        #expect(await eventually { (try? queue.info().waiting) == 1 })
        observation.cancel()
        try queue.pump()
        let outcome = try await gathered
        #expect(outcome.results.isEmpty && outcome.observers == 1 && outcome.dropped == 1)
        withExtendedLifetime(waiting) {}
    }
}
