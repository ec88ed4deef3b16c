import Peal
import Testing

private enum News: PealProtocol {
    static let onMessage = Method<Void, String, Int32>("on_item", parameters: "room", "count")
    static let onClose = Method<Void>("on_close")
    static let onNumber = Method<Void, Int32>("on_number", parameters: "number")
    static var methods: [any MethodDeclaration] { [onMessage, onClose, onNumber] }
}

private enum Alarm: PealProtocol {
    static let onRing = Method<Void, Int32>("on_ring", parameters: "count", isRequired: true)
    static let onStop = Method<Void, Int32>("on_stop", parameters: "count", isRequired: true)
    static let onTest = Method<Void>("on_test", isRequired: true)
    static var methods: [any MethodDeclaration] { [onRing, onStop, onTest] }
}

private enum Vote: PealProtocol {
    static let onEnd = Method<Void>("on_end", isRequired: true)
    static let votes = Method<Int32>("votes", policy: .sum, isRequired: true)
    static var methods: [any MethodDeclaration] { [onEnd, votes] }
}

private actor Listener {
    let stops = Record<Int32>()
}

@Suite(.timeLimit(.minutes(1))) struct BroadcastsTests {
    let center: Center

    init() throws { center = try Center() }

    private func observers() throws -> Int { try center.broadcast(News.onNumber, -1).calls }

    @Test func `the broadcasts of a method arrive in a sequence in order`() async throws {
        let messages = try center.broadcasts(of: News.onMessage)
        try center.broadcast(News.onMessage, "lobby", 1)
        try center.broadcast(News.onMessage, "hall", 2)
        var heard: [String] = []
        for await (room, count) in messages {
            heard.append("\(room) \(count)")
            if count == 2 { break }
        }
        #expect(heard == ["lobby 1", "hall 2"])
        #expect(messages.dropped == 0)
    }

    @Test func `a sequence receives broadcasts while it waits`() async throws {
        let center = center
        let numbers = try center.broadcasts(of: News.onNumber)
        async let sum = numbers.prefix(100).reduce(0, +)
        for number in Int32(0)..<100 {
            try center.broadcast(News.onNumber, number)
            await Task.yield()
        }
        #expect(await sum == 4950)
    }

    @Test(arguments: [
        (BufferingPolicy.bufferingNewest(2), [Int32(3), 4], 3), (.bufferingOldest(2), [0, 1], 3),
        (.unbounded, [0, 1, 2, 3, 4], 0),
    ])
    func `a sequence stores or drops elements that are not read in time, and counts those that it drops`(
        policy: BufferingPolicy, expected: [Int32], dropped: Int
    ) async throws {
        let numbers = try center.broadcasts(of: News.onNumber, bufferingPolicy: policy)
        for number in Int32(0)..<5 { try center.broadcast(News.onNumber, number) }
        #expect(numbers.dropped == dropped)
        var heard: [Int32] = []
        for await number in numbers.prefix(expected.count) { heard.append(number) }
        #expect(heard == expected)
    }

    @Test func `the observation of a sequence ends with the sequence`() throws {
        do {
            let numbers = try center.broadcasts(of: News.onNumber)
            #expect(try observers() == 1)
            withExtendedLifetime(numbers) {}
        }
        #expect(try observers() == 0)
    }

    @Test func `the observation of a sequence ends with its iterator`() async throws {
        do {
            var iterator = try center.broadcasts(of: News.onNumber).makeAsyncIterator()
            #expect(try observers() == 1)
            #expect(await iterator.next() == -1)
        }
        #expect(try observers() == 0)
    }

    @Test func `the cancellation of its task ends a sequence`() async throws {
        let began = Latch()
        let center = center
        let task = Task {
            var count = 0
            let numbers = try center.broadcasts(of: News.onNumber)
            began.open()
            for await _ in numbers { count += 1 }
            return count
        }
        #expect(await began.opened())
        task.cancel()
        _ = try await task.value
        #expect(try observers() == 0)
    }

    @Test func `the end of the center ends a sequence`() async throws {
        let numbers: Broadcasts<Int32>
        do {
            let center = try Center()
            numbers = try center.broadcasts(of: News.onNumber)
            try center.broadcast(News.onNumber, 7)
        }
        var heard: [Int32] = []
        for await number in numbers { heard.append(number) }
        #expect(heard == [7])
    }

    @Test func `O10: a sequence with the option once has one element`() async throws {
        let numbers = try center.broadcasts(of: News.onNumber, .once)
        try center.broadcast(News.onNumber, 7)
        try center.broadcast(News.onNumber, 8)
        var heard: [Int32] = []
        for await number in numbers { heard.append(number) }
        #expect(heard == [7])
    }

    @Test func `a sequence of a method without parameters has empty tuples`() async throws {
        let closes = try center.broadcasts(of: News.onClose)
        try center.broadcast(News.onClose)
        var iterator = closes.makeAsyncIterator()
        #expect(await iterator.next() != nil)
    }

    @Test func `one method of a protocol with several required methods is observed by a sequence`() async throws {
        let rings = try center.broadcasts(of: Alarm.onRing)
        let log = Listener()
        let observation = try center.observe(Alarm.onStop, on: log) { (log: isolated Listener, count) in
            log.stops.append(count)
        }
        for count in Int32(1)...3 {
            try center.broadcast(Alarm.onRing, count)
            try center.broadcast(Alarm.onStop, count)
        }
        var heard: [Int32] = []
        for await ring in rings.prefix(3) { heard.append(ring) }
        #expect(heard == [1, 2, 3])
        #expect(await eventually { log.stops.all == [1, 2, 3] })
        withExtendedLifetime(observation) {}
    }

    @Test func `a sequence of one method abstains from the results of other required methods`() async throws {
        let ends = try center.broadcasts(of: Vote.onEnd)
        let voter = try center.observe(Vote.self) { methods in
            methods.on(Vote.onEnd) {}
            methods.on(Vote.votes) { 3 }
        }
        let votes = try center.method(Vote.votes)
        #expect(try votes.ask() == 3)
        #expect(try votes.using(.min).ask() == 3)
        try center.broadcast(Vote.onEnd)
        var count = 0
        for await _ in ends.prefix(1) { count += 1 }
        #expect(count == 1)
        withExtendedLifetime(voter) {}
    }

    @Test func `an actor answers one method of a protocol with several required ones`() async throws {
        let listener = Listener()
        let observation = try center.observe(Vote.votes, on: listener) { (_: isolated Listener) in 4 }
        #expect(try await center.method(Vote.votes).gather().results == [4])
        #expect(try center.broadcast(Vote.onEnd).calls == 1)
        withExtendedLifetime(observation) {}
    }

    @MainActor
    @Test func `a loop over a sequence on the main actor stays on the main actor`() async throws {
        let numbers = try center.broadcasts(of: News.onNumber, .once)
        try center.broadcast(News.onNumber, 7)
        for await _ in numbers { MainActor.preconditionIsolated() }
    }

    @Test func `X5: a property's sequence begins with the current value and stores the latest`() async throws {
        let volume = try Property("volume", initially: Int32(5), in: center)
        let values = try volume.values()
        var iterator = values.makeAsyncIterator()
        #expect(await iterator.next() == 5)
        for value in Int32(6)..<9 { try volume.set(value) }
        #expect(await iterator.next() == 8)
        #expect(values.dropped == 2)
        try volume.remove()
        #expect(await iterator.next() == nil)
    }

    @Test func `the calls of a Swift protocol are a sequence, which ends with its observation`() async throws {
        let population = Population()
        var texts = try center.broadcasts(of: (any Reader).self, through: { Page($0, population) }).makeAsyncIterator()
        try center.broadcast((any Reader).self) { $0.read("one") }
        try center.broadcast((any Reader).self) { $0.read("two") }
        #expect(await texts.next() == "one")
        #expect(await texts.next() == "two")
        let once = try center.broadcasts(of: (any Reader).self, .once, through: { Page($0, population) })
        try center.broadcast((any Reader).self) { $0.read("three") }
        var heard: [String] = []
        for await text in once { heard.append(text) }
        #expect(heard == ["three"])
        #expect(await texts.next() == "three")
        #expect(population.alive == 1)
    }
}

private protocol Reader: AnyObject, Sendable { func read(_ text: String) }

private final class Page: Reader {
    private let send: @Sendable (String) -> Void
    private let life: Counted

    init(_ send: @escaping @Sendable (String) -> Void, _ population: Population) {
        self.send = send
        life = Counted(population)
    }

    func read(_ text: String) { send(text) }
}
