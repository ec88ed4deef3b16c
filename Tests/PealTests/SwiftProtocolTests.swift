import Peal
import Testing

private protocol ChatObserver: AnyObject, Sendable {
    func didReceive(_ text: String)
    func save() throws
}

private struct Full: Error, Equatable { let name: String }

private final class Listener: ChatObserver {
    let name: String
    let heard: Record<String>
    let onHear: @Sendable () -> Void
    let life: Counted?

    init(
        _ name: String, _ heard: Record<String>, _ population: Population? = nil,
        onHear: @escaping @Sendable () -> Void = {}
    ) {
        self.name = name
        self.heard = heard
        self.life = population.map { Counted($0) }
        self.onHear = onHear
    }

    func didReceive(_ text: String) {
        heard.append("\(name) \(text)")
        onHear()
    }

    func save() throws { throw Full(name: name) }
}

private protocol Value: Sendable { func ping() }
private struct Plain: Value { func ping() {} }
private final class Shared: Value { func ping() {} }

private protocol Log: Actor { func add(_ number: Int) }
private actor Numbers: Log {
    let added = Record<Int>()
    func add(_ number: Int) { added.append(number) }
}

@Suite struct SwiftProtocolTests {
    let center: Center
    private let heard = Record<String>()

    init() throws { center = try Center() }

    private func say(_ text: String) throws -> Int {
        try center.broadcast((any ChatObserver).self) { $0.didReceive(text) }.calls
    }

    @Test(.timeLimit(.minutes(1)))
    func `an actor that observes a Swift type gets the calls of a thread in order`() async throws {
        let numbers = Numbers()
        let observation = try center.observe((any Log).self, for: numbers)
        for number in 0..<1_000 {
            try center.broadcast((any Log).self) { await $0.add(number) }
        }
        let added = numbers.added
        #expect(await eventually { added.all.count == 1_000 })
        #expect(added.all == Array(0..<1_000))
        withExtendedLifetime(observation) {}
    }

    @Test func `O4: a broadcast calls every observer in order of priority and registration`() throws {
        let (ann, bob, eve) = (Listener("Ann", heard), Listener("Bob", heard), Listener("Eve", heard))
        try center.observe((any ChatObserver).self, for: ann)
        try center.observe((any ChatObserver).self, for: bob)
        try center.observe((any ChatObserver).self, for: eve, .priority(1))
        #expect(try say("hello") == 3)
        #expect(heard.all == ["Eve hello", "Ann hello", "Bob hello"])
        #expect(try center.observerCount(of: (any ChatObserver).self) == 3)
    }

    @Test func `a broadcast to a type without observers calls none`() throws {
        #expect(try say("hello") == 0)
    }

    @Test func `O9: an observer is not kept alive, and its registration ends with the object`() throws {
        let population = Population()
        var ann: Listener? = Listener("Ann", heard, population)
        let observation = try center.observe((any ChatObserver).self, for: ann!)
        #expect(try say("one") == 1)
        ann = nil
        #expect(population.alive == 0)
        #expect(try say("two") == 0)
        #expect(!observation.isActive)
        #expect(heard.all == ["Ann one"])
        #expect(try center.observerCount(of: (any ChatObserver).self) == 0)
    }

    @Test func `an observer that is retained lives until its registration ends`() throws {
        let population = Population()
        var ann: Listener? = Listener("Ann", heard, population)
        let observation = try center.observe((any ChatObserver).self, retaining: ann!)
        ann = nil
        #expect(try say("one") == 1)
        observation.cancel()
        #expect(population.alive == 0)
        #expect(try say("two") == 0)
    }

    @Test func `an observation that retains its object ends with its token`() throws {
        let population = Population()
        do {
            let observation = try center.observe(
                (any ChatObserver).self, retaining: Listener("Ann", heard, population))
            #expect(try say("one") == 1)
            withExtendedLifetime(observation) {}
        }
        #expect(population.alive == 0)
        #expect(try say("two") == 0)
    }

    @Test func `the end of a center releases its observers`() throws {
        let population = Population()
        do {
            let center = try Center()
            try center.observe((any ChatObserver).self, retaining: Listener("Ann", heard, population)).keep()
            #expect(population.alive == 1)
        }
        #expect(population.alive == 0)
    }

    @Test func `O3: a second registration of the same object is refused unless its options allow it`() throws {
        let ann = Listener("Ann", heard)
        try center.observe((any ChatObserver).self, for: ann)
        let failure = #expect(throws: PealError.self) { try center.observe((any ChatObserver).self, for: ann) }
        #expect(failure?.status.description == "duplicate")
        try center.observe((any ChatObserver).self, for: ann, .allowingDuplicates)
        #expect(try say("twice") == 2)
        try center.observe((any ChatObserver).self, for: ann, .replacing)
        #expect(try say("once") == 1)
    }

    @Test func `an object at the address of a dead one is no duplicate`() throws {
        var observers: [ObserverToken] = []
        for _ in 0..<200 {
            // Without the registration's weak reference, each object could get the address of the previous one.
            observers.append(try center.observe((any ChatObserver).self, for: Listener("Ann", heard)))
        }
        #expect(observers.count == 200)
        #expect(observers.filter(\.isActive).isEmpty)
        #expect(try say("nobody") == 0)
    }

    @Test func `O5: an observer that is registered during a broadcast is not called by it`() throws {
        let late = Listener("late", heard)
        let center = center
        let ann = Listener("Ann", heard) {
            _ = try? center.observe((any ChatObserver).self, for: late)
        }
        try center.observe((any ChatObserver).self, for: ann)
        #expect(try say("one") == 1)
        #expect(try say("two") == 2)
        #expect(heard.all == ["Ann one", "Ann two", "late two"])
    }

    @Test func `O6: an observer that is removed before its turn is not called`() throws {
        let bob = Listener("Bob", heard)
        let center = center
        let ann = Listener("Ann", heard) {
            _ = try? center.unobserve((any ChatObserver).self, for: bob)
        }
        try center.observe((any ChatObserver).self, for: ann)
        try center.observe((any ChatObserver).self, for: bob)
        #expect(try say("one") == 1)
        #expect(heard.all == ["Ann one"])
        #expect(try center.unobserve((any ChatObserver).self, for: bob) == 0)
    }

    @Test func `O10: an observer with the option once is called once`() throws {
        let ann = Listener("Ann", heard)
        try center.observe((any ChatObserver).self, for: ann, .once)
        #expect(try say("one") == 1)
        #expect(try say("two") == 0)
    }

    @Test func `the error of an observer is reported, and the others are called`() throws {
        let failures = Record<Full>()
        let (ann, bob) = (Listener("Ann", heard), Listener("Bob", heard))
        try center.observe((any ChatObserver).self, for: ann)
        try center.observe((any ChatObserver).self, for: bob)
        let count = try center.broadcast((any ChatObserver).self) { observer throws(Full) in
            do { try observer.save() } catch { throw Full(name: observer is Listener ? "full" : "") }
        } reporting: {
            failures.append($0)
        }
        #expect(count.calls == 2)
        #expect(failures.all.map(\.name) == ["full", "full"])
    }

    @Test func `the error of a visit ends it, and is rethrown`() throws {
        let (ann, bob) = (Listener("Ann", heard), Listener("Bob", heard))
        try center.observe((any ChatObserver).self, for: ann)
        try center.observe((any ChatObserver).self, for: bob)
        var visited = 0
        let failure = #expect(throws: Full.self) {
            try center.visit((any ChatObserver).self) {
                visited += 1
                try $0.save()
            }
        }
        #expect(failure == Full(name: "Ann"))
        #expect(visited == 1)
    }

    @Test func `a visit calls observers in order until one answers`() throws {
        let (ann, bob) = (Listener("Ann", heard), Listener("Bob", heard))
        try center.observe((any ChatObserver).self, for: ann)
        try center.observe((any ChatObserver).self, for: bob)
        let names = try center.collect((any ChatObserver).self) { ($0 as? Listener)?.name }
        #expect(names == ["Ann", "Bob"])
        var asked = 0
        let first = try center.first((any ChatObserver).self) { observer -> String? in
            asked += 1
            return (observer as? Listener)?.name
        }
        #expect(first == "Ann")
        #expect(asked == 1)
        #expect(try center.first((any ChatObserver).self) { _ -> String? in nil } == nil)
    }

    @Test func `Q1: an observer on a queue is called there, and not visited`() throws {
        let queue = try Queue.pumped()
        let ann = Listener("Ann", heard)
        try center.observe((any ChatObserver).self, for: ann, .on(queue))
        #expect(try say("later") == 1)
        try center.visit((any ChatObserver).self) { _ in Issue.record("visited") }
        #expect(heard.all == [])
        #expect(try queue.pump() == 1)
        #expect(heard.all == ["Ann later"])
    }

    @Test func `Q6: dropped calls release their arguments`() throws {
        let population = Population()
        let queue = try Queue.pumped()
        let ann = Listener("Ann", heard)
        let observation = try center.observe((any ChatObserver).self, for: ann, .on(queue))
        for _ in 0..<3 {
            let life = Counted(population)
            try center.broadcast((any ChatObserver).self) { _ in _ = life }
        }
        #expect(population.alive == 3)
        try queue.pump(limit: 1)
        #expect(population.alive == 2)
        observation.cancel()
        try queue.pump()
        #expect(population.alive == 0)
    }

    @Test func `an observer that is no object is refused with a sentence`() throws {
        let failure = #expect(throws: PealError.self) { try center.observe((any Value).self, for: Plain()) }
        #expect(failure?.status.description == "conformance")
        #expect(failure?.message.contains("Plain is no class") == true)
        let shared = Shared()
        try center.observe((any Value).self, for: shared)
        #expect(try center.broadcast((any Value).self) { $0.ping() }.calls == 1)
    }

    @Test func `a class may be the protocol that observers are registered for`() throws {
        let ann = Listener("Ann", heard)
        try center.observe(Listener.self, for: ann)
        #expect(try center.broadcast(Listener.self) { $0.didReceive("as a class") }.calls == 1)
        #expect(try say("as a protocol") == 0)
    }

    @Test func `types of one name in two scopes are different protocols`() throws {
        func first() throws -> (Center) throws -> Int {
            final class Local: Sendable {}
            let object = Local()
            return { center in
                try center.observe(Local.self, for: object)
                return try center.broadcast(Local.self) { _ in }.calls
            }
        }
        func second() throws -> (Center) throws -> Int {
            final class Local: Sendable {}
            let object = Local()
            return { center in
                try center.observe(Local.self, for: object)
                return try center.broadcast(Local.self) { _ in }.calls
            }
        }
        #expect(try first()(center) == 1)
        #expect(try second()(center) == 1)
    }

    @Test func `using a center that has ended fails with its status`() throws {
        let ended = Center(borrowing: try Center().handle)
        let failure = #expect(throws: PealError.self) {
            try ended.broadcast((any ChatObserver).self) { $0.didReceive("") }
        }
        #expect(failure?.status.description == "handle")
    }
}
