import Peal
import Testing

private final class Clock: Sendable {
    let ticked: Latch
    let life: Counted

    init(_ population: Population, _ ticked: Latch) {
        life = Counted(population)
        self.ticked = ticked
    }

    func tick() { ticked.open() }
}

private actor Counter {
    var count = 0
    let ticked: Latch
    init(_ ticked: Latch) { self.ticked = ticked }

    func tick() {
        count += 1
        ticked.open()
    }
}

@Suite struct TimerTests {
    @Test func `X4: a timer fires periodically until it is stopped`() throws {
        let ticked = Latch()
        let timer = try QueueTimer(every: .milliseconds(2)) { ticked.open() }
        #expect(try !timer.info().isRunning)
        #expect(try timer.info().remaining == nil)
        try timer.start()
        for _ in 0..<3 { #expect(ticked.wait()) }
        #expect(try timer.info().isRunning)
        #expect(try timer.stopAndWaitBlocking())
        let facts = try timer.info()
        #expect(!facts.isRunning)
        #expect(facts.fired >= 3)
        #expect(facts.period == .milliseconds(2))
    }

    @Test func `a timer may fire once`() throws {
        let queue = try Queue.pumped()
        let heard = Record<Int>()
        let timer = try QueueTimer(every: .seconds(3600), after: .zero, repeats: false, on: queue) { heard.append(1) }
        try timer.start()
        while heard.all.isEmpty { try queue.pump() }
        #expect(try !timer.info().isRunning)
        #expect(try timer.info().fired == 1)
    }

    @Test func `a timer that is fired explicitly needs no time to pass`() throws {
        let queue = try Queue.pumped()
        let heard = Record<Int>()
        let timer = try QueueTimer(every: .seconds(3600), on: queue) { heard.append(1) }
        try timer.fire()
        try timer.fire()
        #expect(try timer.info().isWaiting)
        try queue.pump()
        #expect(heard.all == [1])
        #expect(try timer.info().missed == 1)
    }

    @Test func `a timer is restarted with another period`() throws {
        let queue = try Queue.pumped()
        let timer = try QueueTimer(every: .seconds(3600), on: queue) {}
        try timer.restart(every: .seconds(60), after: .seconds(30))
        let facts = try timer.info()
        #expect(facts.period == .seconds(60))
        #expect(try #require(facts.remaining) > .seconds(20))
        #expect(facts.remaining! <= .seconds(30))
        #expect(throws: PealError.self) { try timer.restart(every: .zero) }
        #expect(try timer.info().period == .seconds(60))
    }

    @Test func `X4: a timer does not keep its object alive, and ends with it`() throws {
        let population = Population()
        let ticked = Latch()
        let queue = try Queue.pumped()
        var clock: Clock? = Clock(population, ticked)
        let timer = try QueueTimer(every: .seconds(3600), on: queue, for: clock!) { $0.tick() }
        try timer.fire()
        try queue.pump()
        #expect(ticked.wait())
        clock = nil
        #expect(population.alive == 0)
        try timer.fire()
        try queue.pump()
        #expect(!timer.isActive)
        #expect(throws: PealError.self) { try timer.start() }
    }

    @Test func `the captures of a timer's closure are freed with the timer`() throws {
        let population = Population()
        weak var kept: Queue?
        do {
            let life = Counted(population)
            let ofItsOwn = try Queue.pumped()
            kept = ofItsOwn
            let timer = try QueueTimer(every: .seconds(1), on: ofItsOwn) { _ = life }
            try timer.start()
            #expect(population.alive == 1)
        }
        // The destroy callback runs on the timer's queue.
        try kept?.pump()
        #expect(population.alive == 0)
        #expect(kept == nil)
    }

    @Test func `the captures of a timer that cannot be created are freed`() throws {
        let population = Population()
        do {
            let life = Counted(population)
            let failure = #expect(throws: PealError.self) { try QueueTimer(every: .zero) { _ = life } }
            #expect(failure?.status.description == "argument")
        }
        #expect(population.alive == 0)
        #expect(throws: PealError.self) { try QueueTimer(every: .seconds(1), after: .seconds(-1)) {} }
        #expect(throws: PealError.self) { try QueueTimer(every: .seconds(1), tolerance: .seconds(-1)) {} }
    }

    @Test func `a cancelled timer has ended`() throws {
        let timer = try QueueTimer(every: .seconds(1)) {}
        #expect(timer.isActive)
        timer.cancel()
        timer.cancel()
        #expect(!timer.isActive)
        #expect(throws: PealError.self) { try timer.info() }
    }

    @Test func `a timer calls its closure isolated to an actor`() async throws {
        let ticked = Latch()
        let counter = Counter(ticked)
        let timer = try QueueTimer(every: .milliseconds(1), on: counter) { $0.tick() }
        try timer.start()
        for _ in 0..<2 { #expect(await ticked.opened()) }
        #expect(await counter.count >= 2)
    }

    @Test(.timeLimit(.minutes(1))) func `a timer ends with its actor`() async throws {
        let timer: QueueTimer
        do {
            let counter = Counter(Latch())
            timer = try QueueTimer(every: .milliseconds(1), on: counter) { $0.tick() }
        }
        try timer.start()
        #expect(await eventually { !timer.isActive })
    }

    @Test func `a timer calls its closure on the main actor`() async throws {
        let ticked = Latch()
        let timer = try QueueTimer(every: .milliseconds(1), on: MainActor.shared) {
            MainActor.preconditionIsolated()
            ticked.open()
        }
        try timer.start()
        #expect(await ticked.opened())
    }

    @Test func `times beyond the longest are the longest`() throws {
        let timer = try QueueTimer(every: .seconds(Int64.max)) {}
        try timer.start()
        #expect(try timer.info().period == .nanoseconds(Int64.max))
    }

    @Test func `a timer may broadcast a method`() throws {
        let center = try Center()
        let heard = Record<Int>()
        let observation = try center.observe(Tick.onTick) { heard.append(1) }
        weak var kept: Queue?
        do {
            let queue = try Queue.pumped()
            kept = queue
            let timer = try QueueTimer(every: .seconds(3600), on: queue, broadcasting: Tick.onTick, in: center)
            try timer.fire()
            try kept?.pump()
            #expect(heard.all == [1])
        }
        try kept?.pump()
        #expect(kept == nil)
        withExtendedLifetime(observation) {}
    }
}

private enum Tick: PealProtocol {
    static let onTick = Method<Void>("on_tick")
    static var methods: [any MethodDeclaration] { [onTick] }
}
