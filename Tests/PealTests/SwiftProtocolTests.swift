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
    let life: Lifetimes.Life?

    init(
        _ name: String, _ heard: Record<String>, _ lifetimes: Lifetimes? = nil,
        onHear: @escaping @Sendable () -> Void = {}
    ) {
        self.name = name
        self.heard = heard
        self.life = lifetimes?.begin()
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

@Suite struct SwiftProtocolTests {
    let center: Center
    private let heard = Record<String>()

    init() throws { center = try Center() }

    private func say(_ text: String) throws -> Int {
        try center.broadcast((any ChatObserver).self) { $0.didReceive(text) }.calls
    }

    @Test func aBroadcastCallsEveryObserverInOrderOfPriorityAndRegistration_O4() throws {
        let (ann, bob, eve) = (Listener("Ann", heard), Listener("Bob", heard), Listener("Eve", heard))
        try center.observe((any ChatObserver).self, ann)
        try center.observe((any ChatObserver).self, bob)
        try center.observe((any ChatObserver).self, eve, .priority(1))
        #expect(try say("hello") == 3)
        #expect(heard.all == ["Eve hello", "Ann hello", "Bob hello"])
        #expect(try center.observerCount(of: (any ChatObserver).self) == 3)
    }

    @Test func aBroadcastThatNobodyHearsCallsNobody() throws {
        #expect(try say("hello") == 0)
    }

    @Test func anObserverIsNotKeptAliveAndEndsWithItsObject_O9() throws {
        let lifetimes = Lifetimes()
        var ann: Listener? = Listener("Ann", heard, lifetimes)
        let observation = try center.observe((any ChatObserver).self, ann!)
        #expect(try say("one") == 1)
        ann = nil
        #expect(lifetimes.living == 0)
        #expect(try say("two") == 0)
        #expect(!observation.isActive)
        #expect(heard.all == ["Ann one"])
        #expect(try center.observerCount(of: (any ChatObserver).self) == 0)
    }

    @Test func anObserverThatIsHeldStronglyLivesUntilItsRegistrationEnds() throws {
        let lifetimes = Lifetimes()
        var ann: Listener? = Listener("Ann", heard, lifetimes)
        let observation = try center.observe((any ChatObserver).self, ann!, holding: .strongly)
        ann = nil
        #expect(try say("one") == 1)
        observation.cancel()
        #expect(lifetimes.living == 0)
        #expect(try say("two") == 0)
    }

    @Test func theEndOfACenterLetsItsObserversGo() throws {
        let lifetimes = Lifetimes()
        do {
            let center = try Center()
            try center.observe((any ChatObserver).self, Listener("Ann", heard, lifetimes), holding: .strongly)
            #expect(lifetimes.living == 1)
        }
        #expect(lifetimes.living == 0)
    }

    @Test func theSameObjectIsRefusedUnlessItSaysOtherwise_O3() throws {
        let ann = Listener("Ann", heard)
        try center.observe((any ChatObserver).self, ann)
        let failure = #expect(throws: PealError.self) { try center.observe((any ChatObserver).self, ann) }
        #expect(failure?.status.description == "PEAL_ERROR_DUPLICATE")
        try center.observe((any ChatObserver).self, ann, .allowingDuplicates)
        #expect(try say("twice") == 2)
        try center.observe((any ChatObserver).self, ann, .replacing)
        #expect(try say("once") == 1)
    }

    @Test func anObjectThatDiedDoesNotMakeItsSuccessorADuplicate() throws {
        var observers: [ObserverToken] = []
        for _ in 0..<200 {
            // Each would lie where the one before lay, were its place not kept.
            observers.append(try center.observe((any ChatObserver).self, Listener("Ann", heard)))
        }
        #expect(observers.filter(\.isActive).count == 200)
        #expect(try say("nobody") == 0)
        #expect(observers.filter(\.isActive).isEmpty)
    }

    @Test func anObserverThatIsRegisteredDuringABroadcastIsNotCalledByIt_O5() throws {
        let late = Listener("late", heard)
        let center = center
        let ann = Listener("Ann", heard) {
            _ = try? center.observe((any ChatObserver).self, late)
        }
        try center.observe((any ChatObserver).self, ann)
        #expect(try say("one") == 1)
        #expect(try say("two") == 2)
        #expect(heard.all == ["Ann one", "Ann two", "late two"])
    }

    @Test func anObserverThatIsRemovedBeforeItsTurnIsNotCalled_O6() throws {
        let bob = Listener("Bob", heard)
        let center = center
        let ann = Listener("Ann", heard) {
            _ = try? center.unobserve((any ChatObserver).self, bob)
        }
        try center.observe((any ChatObserver).self, ann)
        try center.observe((any ChatObserver).self, bob)
        #expect(try say("one") == 1)
        #expect(heard.all == ["Ann one"])
        #expect(try center.unobserve((any ChatObserver).self, bob) == 0)
    }

    @Test func anObserverMayHearOnce_O10() throws {
        let ann = Listener("Ann", heard)
        try center.observe((any ChatObserver).self, ann, .once)
        #expect(try say("one") == 1)
        #expect(try say("two") == 0)
    }

    @Test func whatAnObserverThrowsIsReportedAndTheOthersAreCalled() throws {
        let failures = Record<Full>()
        let (ann, bob) = (Listener("Ann", heard), Listener("Bob", heard))
        try center.observe((any ChatObserver).self, ann)
        try center.observe((any ChatObserver).self, bob)
        let count = try center.broadcast((any ChatObserver).self) { observer throws(Full) in
            do { try observer.save() } catch { throw Full(name: observer is Listener ? "full" : "") }
        } reporting: { failures.append($0) }
        #expect(count.calls == 2)
        #expect(failures.all.map(\.name) == ["full", "full"])
    }

    @Test func whatAVisitThrowsEndsItAndIsThrownOn() throws {
        let (ann, bob) = (Listener("Ann", heard), Listener("Bob", heard))
        try center.observe((any ChatObserver).self, ann)
        try center.observe((any ChatObserver).self, bob)
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

    @Test func aVisitAsksInOrderUntilThereIsAnAnswer() throws {
        let (ann, bob) = (Listener("Ann", heard), Listener("Bob", heard))
        try center.observe((any ChatObserver).self, ann)
        try center.observe((any ChatObserver).self, bob)
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

    @Test func anObserverOnAQueueIsCalledThereAndNotVisited_Q1() throws {
        let queue = try Queue.pumped()
        let ann = Listener("Ann", heard)
        try center.observe((any ChatObserver).self, ann, .on(queue))
        #expect(try say("later") == 1)
        try center.visit((any ChatObserver).self) { _ in Issue.record("visited") }
        #expect(heard.all == [])
        #expect(try queue.pump() == 1)
        #expect(heard.all == ["Ann later"])
    }

    @Test func callsThatAreDroppedLetGoOfWhatTheyBring_Q6() throws {
        let lifetimes = Lifetimes()
        let queue = try Queue.pumped()
        let ann = Listener("Ann", heard)
        let observation = try center.observe((any ChatObserver).self, ann, .on(queue))
        for _ in 0..<3 {
            let life = lifetimes.begin()
            try center.broadcast((any ChatObserver).self) { _ in _ = life }
        }
        #expect(lifetimes.living == 3)
        try queue.pump(limit: 1)
        #expect(lifetimes.living == 2)
        observation.cancel()
        try queue.pump()
        #expect(lifetimes.living == 0)
    }

    @Test func aValueThatIsNoObjectIsRefusedWithASentence() throws {
        let failure = #expect(throws: PealError.self) { try center.observe((any Value).self, Plain()) }
        #expect(failure?.status.description == "PEAL_ERROR_CONFORMANCE")
        #expect(failure?.message.contains("Plain is no class") == true)
        let shared = Shared()
        try center.observe((any Value).self, shared)
        #expect(try center.broadcast((any Value).self) { $0.ping() }.calls == 1)
    }

    @Test func aClassMayBeTheKey() throws {
        let ann = Listener("Ann", heard)
        try center.observe(Listener.self, ann)
        #expect(try center.broadcast(Listener.self) { $0.didReceive("as a class") }.calls == 1)
        #expect(try say("as a protocol") == 0)
    }

    @Test func typesOfOneNameInTwoScopesAreTwo() throws {
        func first() throws -> (Center) throws -> Int {
            final class Local: Sendable {}
            let object = Local()
            return { center in
                try center.observe(Local.self, object)
                return try center.broadcast(Local.self) { _ in }.calls
            }
        }
        func second() throws -> (Center) throws -> Int {
            final class Local: Sendable {}
            let object = Local()
            return { center in
                try center.observe(Local.self, object)
                return try center.broadcast(Local.self) { _ in }.calls
            }
        }
        #expect(try first()(center) == 1)
        #expect(try second()(center) == 1)
    }

    @Test func aCenterThatHasEndedSaysSo() throws {
        let ended = Center(borrowing: try Center().handle)
        let failure = #expect(throws: PealError.self) {
            try ended.broadcast((any ChatObserver).self) { $0.didReceive("") }
        }
        #expect(failure?.status.description == "PEAL_ERROR_HANDLE")
    }
}
