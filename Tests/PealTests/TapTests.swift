import CPeal
import Peal
import Testing

/// Taps, their records, and counts of calls.
@Suite struct TapTests {
    let center: Center

    init() throws { center = try Center() }

    @Test func `V1, V5: a closure gets the events of the methods that the filter names, in order`() throws {
        let seen = Record<TapEvent>()
        let observer = try center.observe(Chat.onMessage) { _, _ in }
        let other = try center.observe(Chat.onClose) {}
        var tap: Tap? = try Tap(
            "Chat.*,-Chat.on_close", events: [.broadcastBegin, .callBegin, .callEnd, .broadcastEnd], in: center
        ) { seen.append($0) }
        try center.broadcast(Chat.onMessage, "lobby", 1)
        try center.broadcast(Chat.onClose)
        #expect(seen.all.map(\.event) == [.broadcastBegin, .callBegin, .callEnd, .broadcastEnd])
        #expect(seen.all.allSatisfy { $0.methodName == "on_message" && $0.broadcast == seen.all[0].broadcast })
        #expect(seen.all[1].object == observer.handle.id)
        #expect(seen.all[3].count == 1 && seen.all[3].status == .ok)
        _ = tap
        tap = nil
        try center.broadcast(Chat.onMessage, "lobby", 2)
        #expect(seen.all.count == 4)
        withExtendedLifetime(other) {}
    }

    @Test func `V3, V5, F1: a refused tap releases its closure`() throws {
        let population = Population()
        func open(_ filter: String) -> Status? {
            let counted = Counted(population)
            return pealError { try Tap(filter, in: center) { _ in withExtendedLifetime(counted) {} } }?.status
        }
        #expect(open("Chat.,") == .argument)
        #expect(open("Chat\0") == .argument)
        #expect(population.alive == 0)
        #expect(pealError { try Tap.recording(capacity: 0) }?.status == .argument)
        #expect(pealError { try Tap.counting("a b") }?.status == .argument)
    }

    @Test func `V6: records are read from rings, and lost ones are counted`() throws {
        let observer = try center.observe(Chat.onNumber) { _ in }
        let tap = try Tap.recording("Chat.*", events: .callEnd, in: center, capacity: 4)
        for number in 0..<6 { try center.broadcast(Chat.onNumber, Int32(number)) }
        #expect(tap.lost == 2)
        #expect(try tap.read(limit: 3).map(\.event) == [.callEnd, .callEnd, .callEnd])
        let rest = try tap.read()
        #expect(rest.map(\.object) == [observer.handle.id])
        try center.broadcast(Chat.onNumber, 7)
        #expect(try tap.read().map(\.event) == [.lost, .callEnd])
        #expect(pealError { try tap.read(limit: 0) }?.status == .argument)
        let watching = try Tap(in: center) { _ in }
        #expect(pealError { try watching.read() }?.status == .state)
    }

    @Test func `V7: a tap counts the calls of methods and observers`() throws {
        let queue = try Queue.pumped()
        let first = try center.observe(Chat.onNumber) { _ in }
        let second = try center.observe(Chat.onNumber, .on(queue)) { _ in }
        #expect(try first.counts().calls == 0)
        let tap = try Tap.counting("Chat.*", in: center)
        for number in 0..<3 { try center.broadcast(Chat.onNumber, Int32(number)) }
        try queue.pump()
        #expect(try first.counts().calls == 3)
        let counts = try second.counts()
        #expect(counts.queued == 3 && counts.waited >= counts.longestWait && counts.last != nil)
        #expect(try center.method(Chat.onNumber).counts().calls == 6)
        #expect(pealError { try tap.read() }?.status == .state)
    }
}
