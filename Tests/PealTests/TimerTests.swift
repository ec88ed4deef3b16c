import Peal
import Testing

private final class Clock: Sendable {
    let ticked: Latch
    let life: Lifetimes.Life

    init(_ lifetimes: Lifetimes, _ ticked: Latch) {
        life = lifetimes.begin()
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
    @Test func aTimerFiresAgainAndAgainUntilItIsStopped_X4() throws {
        let ticked = Latch()
        let timer = try QueueTimer(every: .milliseconds(2)) { ticked.open() }
        #expect(try !timer.facts().isRunning)
        #expect(try timer.facts().remaining == nil)
        try timer.start()
        for _ in 0..<3 { #expect(ticked.wait()) }
        #expect(try timer.facts().isRunning)
        #expect(try timer.stopAndWaitBlocking())
        let facts = try timer.facts()
        #expect(!facts.isRunning)
        #expect(facts.fired >= 3)
        #expect(facts.period == .milliseconds(2))
    }

    @Test func aTimerMayFireOnce() throws {
        let queue = try Queue.pumped()
        let heard = Record<Int>()
        let timer = try QueueTimer(every: .seconds(3600), after: .zero, repeats: false, on: queue) { heard.append(1) }
        try timer.start()
        while heard.all.isEmpty { try queue.pump() }
        #expect(try !timer.facts().isRunning)
        #expect(try timer.facts().fired == 1)
    }

    @Test func aFiringByHandNeedsNoTime() throws {
        let queue = try Queue.pumped()
        let heard = Record<Int>()
        let timer = try QueueTimer(every: .seconds(3600), on: queue) { heard.append(1) }
        try timer.fire()
        try timer.fire()
        #expect(try timer.facts().isWaiting)
        try queue.pump()
        #expect(heard.all == [1])
        #expect(try timer.facts().missed == 1)
    }

    @Test func aTimerIsRestartedWithAnotherPeriod() throws {
        let queue = try Queue.pumped()
        let timer = try QueueTimer(every: .seconds(3600), on: queue) {}
        try timer.restart(every: .seconds(60), after: .seconds(30))
        let facts = try timer.facts()
        #expect(facts.period == .seconds(60))
        #expect(try #require(facts.remaining) > .seconds(20))
        #expect(facts.remaining! <= .seconds(30))
        #expect(throws: PealError.self) { try timer.restart(every: .zero) }
        #expect(try timer.facts().period == .seconds(60))
    }

    @Test func aTimerDoesNotKeepItsObjectAliveAndEndsWithIt_X4() throws {
        let lifetimes = Lifetimes()
        let ticked = Latch()
        let queue = try Queue.pumped()
        var clock: Clock? = Clock(lifetimes, ticked)
        let timer = try QueueTimer(every: .seconds(3600), on: queue, weakly: clock!) { $0.tick() }
        try timer.fire()
        try queue.pump()
        #expect(ticked.wait())
        clock = nil
        #expect(lifetimes.living == 0)
        try timer.fire()
        try queue.pump()
        #expect(!timer.isActive)
        #expect(throws: PealError.self) { try timer.start() }
    }

    @Test func whatATimerCapturesGoesWithIt() throws {
        let lifetimes = Lifetimes()
        weak var kept: Queue?
        do {
            let life = lifetimes.begin()
            let ofItsOwn = try Queue.pumped()
            kept = ofItsOwn
            let timer = try QueueTimer(every: .seconds(1), on: ofItsOwn) { _ = life }
            try timer.start()
            #expect(lifetimes.living == 1)
        }
        // The destroy callback comes on the timer's queue.
        try kept?.pump()
        #expect(lifetimes.living == 0)
        #expect(kept == nil)
    }

    @Test func aFailedTimerLetsGoOfWhatItCaptured() throws {
        let lifetimes = Lifetimes()
        do {
            let life = lifetimes.begin()
            let failure = #expect(throws: PealError.self) { try QueueTimer(every: .zero) { _ = life } }
            #expect(failure?.status.description == "PEAL_ERROR_ARGUMENT")
        }
        #expect(lifetimes.living == 0)
        #expect(throws: PealError.self) { try QueueTimer(every: .seconds(1), after: .seconds(-1)) {} }
        #expect(throws: PealError.self) { try QueueTimer(every: .seconds(1), tolerance: .seconds(-1)) {} }
    }

    @Test func aCancelledTimerIsOver() throws {
        let timer = try QueueTimer(every: .seconds(1)) {}
        #expect(timer.isActive)
        timer.cancel()
        timer.cancel()
        #expect(!timer.isActive)
        #expect(throws: PealError.self) { try timer.facts() }
    }

    @Test func aTimerCallsAnActorIsolatedToIt() async throws {
        let ticked = Latch()
        let counter = Counter(ticked)
        let timer = try QueueTimer(every: .milliseconds(1), on: counter) { $0.tick() }
        try timer.start()
        for _ in 0..<2 { #expect(await ticked.opened()) }
        #expect(await counter.count >= 2)
    }

    @Test(.timeLimit(.minutes(1))) func aTimerEndsWithItsActor() async throws {
        let timer: QueueTimer
        do {
            let counter = Counter(Latch())
            timer = try QueueTimer(every: .milliseconds(1), on: counter) { $0.tick() }
        }
        try timer.start()
        while timer.isActive { await Task.yield() }
    }

    @Test func aTimerCallsTheMainActor() async throws {
        let ticked = Latch()
        let timer = try QueueTimer(every: .milliseconds(1), on: MainActor.shared) {
            MainActor.preconditionIsolated()
            ticked.open()
        }
        try timer.start()
        #expect(await ticked.opened())
    }

    @Test func veryLongTimesAreTheLongest() throws {
        let timer = try QueueTimer(every: .seconds(Int64.max)) {}
        try timer.start()
        #expect(try timer.facts().period == .nanoseconds(Int64.max))
    }

    @Test func aTimerMayBroadcastAMethod() throws {
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
