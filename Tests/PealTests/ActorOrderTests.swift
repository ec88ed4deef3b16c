import Testing

@testable import Peal

private enum Bell: PealProtocol {
    static let onRing = Method<Void, String, Int32>("on_ring", parameters: "door", "count")
    static let onStop = Method<Void, Int32>("on_stop", parameters: "count")
    static let rings = Method<Int32>("rings", policy: .sum)
    static var methods: [any MethodDeclaration] { [onRing, onStop, rings] }
}

private actor Log {
    let lines: Record<String>
    var rings: Int32 = 0

    init(_ lines: Record<String>) { self.lines = lines }

    func ring(_ count: Int32) {
        rings += 1
        lines.append("ring \(count)")
    }
    func stop(_ count: Int32) { lines.append("stop \(count)") }
}

@MainActor
private final class Window {
    let lines: Record<String>
    var rings: Int32 = 0

    init(_ lines: Record<String>) { self.lines = lines }

    func ring(_ count: Int32) {
        MainActor.preconditionIsolated()
        rings += 1
        lines.append("ring \(count)")
    }
    func stop(_ count: Int32) { lines.append("stop \(count)") }
}

@Suite struct ActorOrderTests {
    let center: Center

    init() throws { center = try Center() }

    @MainActor
    @Test func `Q1: the calls of an actor are in the order of the broadcasts`() async throws {
        let lines = Record<String>()
        let observations = [
            try center.observe(Bell.onRing, on: MainActor.shared) { _, count in lines.append("ring \(count)") },
            try center.observe(Bell.onStop, on: MainActor.shared) { count in lines.append("stop \(count)") },
        ]
        for count in Int32(0)..<3 {
            try center.broadcast(Bell.onRing, "front", count)
            try center.broadcast(Bell.onStop, count)
        }
        #expect(await eventually { lines.all.count == 6 })
        #expect(lines.all == ["ring 0", "stop 0", "ring 1", "stop 1", "ring 2", "stop 2"])
        withExtendedLifetime(observations) {}
    }

    @Test(.timeLimit(.minutes(1))) func `a queue of an actor ends with its observers`() async throws {
        let log = Log(Record())
        weak var queue: Queue?
        do {
            let observation = try center.observe(Bell.onStop, on: log) { (_: isolated Log, _) in }
            let shared = try ActorQueues.queue(of: log)
            #expect(try ActorQueues.queue(of: log) === shared)
            queue = shared
            observation.cancel()
        }
        #expect(await eventually { queue == nil })
        try #expect(ActorQueues.queue(of: log) !== ActorQueues.queue(of: MainActor.shared))
    }

    @Test func `O12: an actor observes a protocol`() async throws {
        let lines = Record<String>()
        let log = Log(lines)
        let observation = try center.observe(Bell.self, on: log) {
            $0.on(Bell.onRing) { (log: isolated Log, _, count) in log.ring(count) }
            $0.on(Bell.onStop) { (log: isolated Log, count) in log.stop(count) }
            $0.on(Bell.rings) { (log: isolated Log) in log.rings }
        }
        for count in Int32(0)..<100 {
            try center.broadcast(Bell.onRing, "front", count)
            try center.broadcast(Bell.onStop, count)
        }
        // The call with a result is enqueued after the other calls.
        #expect(try await center.method(Bell.rings).gather(timeout: .seconds(20)).results == [100])
        #expect(lines.all == (0..<100).flatMap { ["ring \($0)", "stop \($0)"] })
        observation.cancel()
    }

    @Test func `Q8: an actor's results are gathered`() async throws {
        let log = Log(Record())
        await log.ring(1)
        let observations = [
            try center.observe(Bell.rings, on: log) { (log: isolated Log) in log.rings },
            try center.observe(Bell.rings) { 41 },
        ]
        let gathered = try await center.method(Bell.rings).gather(timeout: .seconds(20))
        #expect(gathered.results.sorted() == [1, 41])
        withExtendedLifetime(observations) {}
    }

    @Test
    func `Q1: asynchronous closures of an actor begin in the order of the broadcasts, and others run while they wait`()
        async throws
    {
        let lines = Record<String>()
        let log = Log(lines)
        let gate = Latch()
        let observation = try center.observe(Bell.self, on: log) {
            $0.on(Bell.onRing) { (log: isolated Log, _, count) in
                log.ring(count)
                _ = await gate.opened()
                log.stop(-count)
            }
            $0.on(Bell.onStop) { (log: isolated Log, count) in log.stop(count) }
        }
        for count in Int32(1)...20 {
            try center.broadcast(Bell.onRing, "front", count)
            try center.broadcast(Bell.onStop, count)
        }
        #expect(await eventually { lines.all.count == 40 })
        #expect(lines.all == (1...20).flatMap { ["ring \($0)", "stop \($0)"] })
        for _ in 0..<20 { gate.open() }
        #expect(await eventually { lines.all.count == 60 })
        #expect(Set(lines.all.suffix(20)) == Set((1...20).map { "stop \(-$0)" }))
        withExtendedLifetime(observation) {}
    }

    @MainActor
    @Test func `Q1: an asynchronous closure of one method runs on its actor`() async throws {
        let lines = Record<String>()
        let log = Log(lines)
        let observations = [
            try center.observe(Bell.onStop, on: log) { (log: isolated Log, count) in
                await Task.yield()
                log.stop(count)
            },
            try center.observe(Bell.onStop, on: MainActor.shared) { count in
                await Task.yield()
                MainActor.preconditionIsolated()
                lines.append("main \(count)")
            },
        ]
        try center.broadcast(Bell.onStop, 7)
        #expect(await eventually { lines.all.count == 2 })
        #expect(Set(lines.all) == ["stop 7", "main 7"])
        withExtendedLifetime(observations) {}
    }

    @MainActor
    @Test func `O9: an object of the main actor observes a protocol weakly`() async throws {
        let lines = Record<String>()
        var window: Window? = Window(lines)
        let observation = try center.observe(Bell.self, for: window!, on: MainActor.shared) {
            $0.on(Bell.onRing) { window, _, count in window.ring(count) }
            $0.on(Bell.onStop) { window, count in window.stop(count) }
            $0.on(Bell.rings) { $0.rings }
        }
        #expect(pealError { try observeAgain(window!) }?.status == .duplicate)
        let (center, method) = (center, try center.method(Bell.rings))
        try await Task.detached {
            try center.broadcast(Bell.onRing, "front", 1)
            try center.broadcast(Bell.onStop, 1)
        }.value
        #expect(try await method.gather(timeout: .seconds(20)).results == [1])
        #expect(lines.all == ["ring 1", "stop 1"])
        window = nil
        try center.broadcast(Bell.onStop, 2)
        #expect(await eventually { !observation.isActive })
        #expect(lines.all.count == 2)
    }

    @MainActor
    private func observeAgain(_ window: Window) throws {
        try center.observe(Bell.self, for: window, on: MainActor.shared) {
            $0.on(Bell.onStop) { $0.stop($1) }
        }
    }

    @MainActor
    @Test(.timeLimit(.minutes(1))) func `O7: the main actor waits for a call of its own`() async throws {
        let lines = Record<String>()
        let observation = try center.observe(Bell.onStop, on: MainActor.shared) { lines.append("stop \($0)") }
        try center.broadcast(Bell.onStop, 1)
        #expect(try await observation.cancelAndWait(delivering: true))
        #expect(lines.all == ["stop 1"])
    }

    @MainActor
    @Test(.timeLimit(.minutes(1))) func `the main actor flushes its queue and retires its owner`() async throws {
        let lines = Record<String>()
        let queue = try Queue(actor: MainActor.shared)
        let owner = try Owner("plugin")
        let observation = try center.observe(Bell.onStop, .on(queue), .belonging(to: owner)) {
            lines.append("stop \($0)")
        }
        try center.broadcast(Bell.onStop, 1)
        try await queue.flush()
        #expect(lines.all == ["stop 1"])
        #expect(try await owner.retire() == .complete)
        #expect(!observation.isActive)
    }

    @Test(.timeLimit(.minutes(1))) func `a cancelled task stops waiting for its queue`() async throws {
        let queue = try Queue.pumped()
        let observation = try center.observe(Bell.onStop, .on(queue)) { _ in }
        try center.broadcast(Bell.onStop, 1)
        let flush = Task { try await queue.flush() }
        let ending = Task { try await observation.cancelAndWait(delivering: true) }
        flush.cancel()
        ending.cancel()
        #expect(await #expect(throws: PealError.self) { try await flush.value }?.status == .state)
        #expect(try await ending.value == false)
        try queue.pump()
    }
}
