import Peal
import Testing

private enum Bell: PealProtocol {
    static let onRing = Method<Void, String, Int32>("on_ring", parameters: "door", "count")
    static var methods: [any MethodDeclaration] { [onRing] }
}

/// Pumps a queue on a thread of the tasks.
@concurrent
private func pumpElsewhere(_ queue: Queue) async throws { try queue.pump() }

private actor Log {
    var lines: [String] = []
    let rang: Latch
    let life: Counted?

    init(_ rang: Latch, _ population: Population? = nil) {
        self.rang = rang
        life = population.map { Counted($0) }
    }

    func add(_ line: String) {
        lines.append(line)
        rang.open()
    }
}

@MainActor
private final class Label {
    var text = ""
}

@MainActor
private protocol Screen: AnyObject, Sendable {
    func show(_ text: String)
}

@MainActor
private final class Window: Screen {
    let shown: Record<String>
    let rang: Latch

    init(_ shown: Record<String>, _ rang: Latch) {
        self.shown = shown
        self.rang = rang
    }

    func show(_ text: String) {
        MainActor.preconditionIsolated()
        shown.append(text)
        rang.open()
    }
}

@Suite struct ActorTests {
    let center: Center
    private let rang = Latch()

    init() throws { center = try Center() }

    @Test func `Q1: a closure is isolated to its actor`() async throws {
        let log = Log(rang)
        let observation = try center.observe(Bell.onRing, on: log) { (log: isolated Log, door, count) in
            log.add("\(door) \(count)")
        }
        for count in Int32(0)..<3 { try center.broadcast(Bell.onRing, "front", count) }
        for _ in 0..<3 { #expect(await rang.opened()) }
        #expect(await log.lines == ["front 0", "front 1", "front 2"])
        observation.cancel()
        #expect(try center.broadcast(Bell.onRing, "back", 4).calls == 0)
    }

    @Test(.timeLimit(.minutes(1))) func `O9: an observation does not keep its actor alive and ends with it`()
        async throws
    {
        let population = Population()
        let observation: ObserverToken
        do {
            let log = Log(rang, population)
            observation = try center.observe(Bell.onRing, on: log) { (log: isolated Log, door, _) in log.add(door) }
        }
        #expect(population.alive == 0)
        try center.broadcast(Bell.onRing, "front", 1)
        #expect(await eventually { !observation.isActive })
    }

    @Test func `an actor may observe the same method twice`() async throws {
        let log = Log(rang)
        let first = try center.observe(Bell.onRing, on: log) { (log: isolated Log, _, _) in log.add("first") }
        let second = try center.observe(Bell.onRing, on: log) { (log: isolated Log, _, _) in log.add("second") }
        try center.broadcast(Bell.onRing, "front", 1)
        for _ in 0..<2 { #expect(await rang.opened()) }
        #expect(await log.lines.sorted() == ["first", "second"])
        withExtendedLifetime((first, second)) {}
    }

    @MainActor
    @Test func `Q1: a closure is isolated to the main actor`() async throws {
        let label = Label()
        let rang = rang
        let observation = try center.observe(Bell.onRing, on: MainActor.shared) { door, count in
            label.text = "\(door) \(count)"
            rang.open()
        }
        try center.broadcast(Bell.onRing, "front", 1)
        #expect(label.text == "")
        #expect(await rang.opened())
        #expect(label.text == "front 1")
        withExtendedLifetime(observation) {}
    }

    @Test func `an observation keeps the queue of its options until it ends`() throws {
        weak var kept: Queue?
        let heard = Record<Int32>()
        do {
            let observation: ObserverToken
            do {
                let queue = try Queue.pumped()
                kept = queue
                observation = try center.observe(Bell.onRing, .on(queue)) { _, count in heard.append(count) }
            }
            try center.broadcast(Bell.onRing, "front", 1)
            #expect(try kept?.pump() == 1)
            observation.cancel()
        }
        #expect(heard.all == [1])
        try kept?.pump()
        #expect(kept == nil)
    }

    @MainActor
    @Test func `objects of the main actor are called on it, at once or from their queue`() async throws {
        let shown = Record<String>()
        let (first, second) = (Window(shown, rang), Window(shown, rang))
        let queue = try Queue()
        try center.observe((any Screen).self, for: first)
        try center.observe((any Screen).self, for: second, .on(queue))
        try center.broadcastOnMain((any Screen).self) { $0.show("hello") }
        #expect(shown.all == ["hello"])
        for _ in 0..<2 { #expect(await rang.opened()) }
        #expect(shown.all == ["hello", "hello"])
    }

    @MainActor
    @Test func `calls on an actor's queue have none of the broadcaster's task-local values`() async throws {
        let shown = Record<String>()
        let window = Window(shown, rang)
        try center.observe((any Screen).self, for: window, .on(try Queue()))
        let queue = try Queue(executor: globalConcurrentExecutor)
        try center.observe((any Screen).self, for: window, .on(queue))
        try center.broadcastOnMain((any Screen).self) { $0.show("hello") }
        for _ in 0..<2 { #expect(await rang.opened()) }
        #expect(shown.all.count == 2)
    }

    @MainActor
    @Test func `a task of an observer is not taken for the main actor`() async throws {
        let shown = Record<String>()
        let (immediate, queued) = (Window(shown, rang), Window(shown, rang))
        let queue = try Queue.pumped()
        try center.observe((any Screen).self, for: queued, .on(queue), .priority(1))
        try center.observe((any Screen).self, for: immediate)
        try center.broadcastOnMain((any Screen).self) { screen in
            screen.show("hello")
            Task { try await pumpElsewhere(queue) }
        }
        for _ in 0..<2 { #expect(await rang.opened()) }
        #expect(shown.all == ["hello", "hello"])
    }

    @Test func `a broadcast on another thread reaches observers on the main actor`() async throws {
        let shown = Record<String>()
        let window = await Window(shown, rang)
        try center.observe((any Screen).self, for: window)
        try await center.broadcastOnMain((any Screen).self) { $0.show("hello") }
        #expect(shown.all == ["hello"])
    }

    @Test func `X5: a property is observed on an actor`() async throws {
        let volume = try Property("volume", initially: Int32(5), in: center)
        let log = Log(rang)
        let observation = try volume.observe(on: log, .initial) { (log: isolated Log, old, new) in
            log.add("\(old)-\(new)")
        }
        try volume.set(6)
        for _ in 0..<2 { #expect(await rang.opened()) }
        #expect(await log.lines == ["5-5", "5-6"])
        withExtendedLifetime(observation) {}
    }

    @MainActor
    @Test func `X5: a property is observed on the main actor`() async throws {
        let volume = try Property("volume", initially: Int32(5), in: center)
        let label = Label()
        let rang = rang
        let observation = try volume.observe(on: MainActor.shared, .latest) { _, new in
            label.text = "\(new)"
            rang.open()
        }
        try volume.set(6)
        try volume.set(7)
        #expect(label.text == "")
        #expect(await rang.opened())
        #expect(label.text == "7")
        withExtendedLifetime(observation) {}
    }
}
