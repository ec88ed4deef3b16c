import Peal
import PealTesting
import Synchronization
import Testing

private enum Talk: PealProtocol {
    static let name = "Chat"
    static let onMessage = Method<Void, String, Int32>("on_message", parameters: "room", "count")
    static let onClose = Method<Void>("on_close")
    static let mayClose = Method<Bool>("may_close", policy: .every)
    static let methods: [any MethodDeclaration] = [onMessage, onClose, mayClose]
}

private enum Join: PealProtocol {
    static let name = "Join"
    static let onJoin = Method<Void, String>("on_join", parameters: "member")
    static let methods: [any MethodDeclaration] = [onJoin]
}

@Suite struct SpyTests {
    @Test func `a spy records the arguments of each call as values`() throws {
        let center = try Center()
        let spy = try center.spy(on: Talk.onMessage)
        try center.broadcast(Talk.onMessage, "lobby", 3)
        try center.broadcast(Talk.onMessage, "hall", 4)
        #expect(spy.count == 2)
        #expect(spy.calls[0] == ("lobby", 3))
        #expect(spy.calls[1] == ("hall", 4))
        spy.clear()
        #expect(spy.calls.isEmpty)
        spy.cancel()
        try center.broadcast(Talk.onMessage, "lobby", 3)
        #expect(spy.count == 0)
    }

    @Test func `a spy of a method with one parameter records that value`() throws {
        let center = try Center()
        let spy = try center.spy(on: Join.onJoin)
        try center.broadcast(Join.onJoin, "Eve")
        #expect(spy.calls == ["Eve"])
    }

    @Test func `a task waits for calls that are made on a queue`() async throws {
        let center = try Center()
        let queue = try Queue()
        let spy = try center.spy(on: Talk.onMessage, .on(queue))
        async let calls = spy.calls(3)
        for number in 1...3 as ClosedRange<Int32> { try center.broadcast(Talk.onMessage, "lobby", number) }
        #expect(try await calls.map(\.1) == [1, 2, 3])
        // Calls that are there already do not wait.
        #expect(try await spy.calls(2).count == 3)
    }

    @Test func `a wait for calls that are not made ends with the time limit, and with its task`() async throws {
        let center = try Center()
        let spy = try center.spy(on: Talk.onMessage)
        let error = await #expect(throws: PealError.self) { try await spy.calls(1, timeout: .milliseconds(1)) }
        #expect(error?.status == .timeout)
        #expect(error?.message == "the spy has recorded 0 of 1 calls in time")
        let task = Task { try await spy.calls(1) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a spy answers with the result that it is given`() throws {
        let center = try Center()
        let spy = try center.spy(on: Talk.mayClose, returning: false)
        #expect(try !center.ask(Talk.mayClose))
        #expect(spy.count == 1)
    }

    @Test func `a spy of a protocol prints the calls of all methods in one order`() async throws {
        let center = try Center()
        let spy = try center.spy(on: Talk.self)
        try center.broadcast(Talk.onMessage, "lobby", 3)
        try center.broadcast(Talk.onClose)
        try await spy.wait(for: 2)
        #expect(try spy.text == "on_message(room: \"lobby\", count: 3)\non_close()\n")
        #expect(spy.count(of: "on_close") == 1)
        spy.clear()
        #expect(try spy.text.isEmpty)
        let error = await #expect(throws: PealError.self) {
            try await spy.wait(for: 1, of: "on_close", timeout: .milliseconds(1))
        }
        #expect(error?.status == .timeout)
    }

    @Test func `a spy of a protocol that C has defined observes the named methods`() throws {
        let center = try Center()
        try center.define(Talk.self)
        let spy = try center.spy(onProtocol: "Chat", methods: ["on_close"])
        try center.broadcast(Talk.onMessage, "lobby", 3)
        try center.broadcast(Talk.onClose)
        #expect(try spy.text == "on_close()\n")
        let error = #expect(throws: PealError.self) { try center.spy(onProtocol: "Nothing") }
        #expect(error?.status == .notFound)
    }
}

// The clock is that of the process. Draining runs all queues of the process, those of schedules too.
@Suite(.serialized) struct ProcessTests {
    private static let users = Mutex(0)

    @Test func `a day of a timer passes within a call`() async throws {
        try await withManualClock { clock in
            let ticks = Mutex(0)
            let timer = try QueueTimer(every: .seconds(3600)) { ticks.withLock { $0 += 1 } }
            try timer.start()
            try await clock.advance(by: .seconds(24 * 3600))
            #expect(ticks.withLock(\.self) == 24)
            #expect(try await clock.advanceToNext())
            #expect(ticks.withLock(\.self) == 25)
            let error = await #expect(throws: PealError.self) { try await clock.advance(by: .seconds(-1)) }
            #expect(error?.status == .argument)
            timer.cancel()
        }
    }

    @Test func `two uses of the clock follow each other`() async throws {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    await withManualClock { _ in
                        Self.users.withLock { $0 += 1 }
                        #expect(Self.users.withLock(\.self) == 1)
                        await Task.yield()
                        Self.users.withLock { $0 -= 1 }
                    }
                }
            }
        }
    }

    @Test func `draining runs what waits, and what that enqueues`() async throws {
        let center = try Center()
        let queue = try Queue.pumped()
        let spy = try center.spy(on: Talk.onClose, .on(queue))
        let observer = try center.observe(Talk.onMessage, .on(queue)) { _, _ in _ = try? center.broadcast(Talk.onClose)
        }
        try center.broadcast(Talk.onMessage, "lobby", 3)
        try await Queue.drainAll()
        #expect(spy.count == 1)
        withExtendedLifetime(observer) {}
    }

    @Test func `a center lists what a test has left`() throws {
        let center = try Center()
        let observer = try center.observe(Talk.onClose) {}
        #expect(center.leaks == ["protocol Chat: 1 observer"])
        observer.cancel()
        #expect(center.leaks.isEmpty)
    }

    @Suite struct ScheduleTests {
        private func order(seed: UInt64) throws -> [String] {
            let center = try Center()
            let schedule = try Schedule(seed: seed)
            let names = Mutex<[String]>([])
            let observers = try ["Ann", "Bob", "Cid"].map { name in
                try center.observe(Join.onJoin, .on(try schedule.makeQueue())) { member in
                    names.withLock { $0.append("\(name) greets \(member)") }
                }
            }
            try center.broadcast(Join.onJoin, "Eve")
            try center.broadcast(Join.onJoin, "Fay")
            let outcome = try schedule.run()
            #expect(outcome.calls == 6)
            #expect(!outcome.isWaiting)
            withExtendedLifetime(observers) {}
            return names.withLock(\.self)
        }

        @Test func `a seed repeats its order, and seeds differ`() throws {
            let orders = try (1...20).map { try order(seed: $0) }
            #expect(Set(orders).count > 1)
            #expect(try order(seed: 7) == orders[6])
            for order in orders {
                // Each queue keeps its own order.
                #expect(order.filter { $0.hasPrefix("Ann") } == ["Ann greets Eve", "Ann greets Fay"])
            }
        }

        @Test func `a limit leaves calls on the queues`() throws {
            let center = try Center()
            let schedule = try Schedule(seed: 1)
            let spy = try center.spy(on: Join.onJoin, .on(try schedule.makeQueue()))
            try center.broadcast(Join.onJoin, "Eve")
            try center.broadcast(Join.onJoin, "Fay")
            let outcome = try schedule.run(limit: 1)
            #expect(outcome.calls == 1)
            #expect(outcome.isWaiting)
            #expect(throws: PealError.self) { try schedule.run(limit: 0) }
            try schedule.run()
            #expect(spy.count == 2)
        }
    }
}

@Suite struct LeakCheckTests {
    @Test(.pealLeakCheck) func `a test with the trait has a center of its own`() async throws {
        #expect(Center.ofTest !== Center.default)
        let center = Center.ofTest
        let spy = try center.spy(on: Talk.onClose)
        try center.broadcast(Talk.onClose)
        #expect(spy.count == 1)
        // The spy ends here: a test that keeps an observer fails.
    }

    @Test func `an observer that a test leaves is an issue`() async throws {
        let trait = LeakCheckTrait.pealLeakCheck
        let test = try #require(Test.current)
        try await withKnownIssue {
            try await trait.provideScope(for: test, testCase: Test.Case.current) {
                try Center.ofTest.observe(Talk.onClose) {}.keep()
            }
        } matching: { issue in
            issue.comments.contains { $0.rawValue == "the test has left: protocol Chat: 1 observer" }
        }
    }

    @Test func `a test without the trait uses the default center`() { #expect(Center.ofTest === Center.default) }
}
