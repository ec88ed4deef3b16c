import CPeal
import Dispatch
import Peal
import Synchronization
import Testing

private enum Strict: PealProtocol {
    static let must = Method<Void>("must", isRequired: true)
    static let may = Method<Void>("may")
    static let methods: [any MethodDeclaration] = [must, may]
}

@Suite struct ObserverLifeTests {
    @Test func anObservationEndsWhenNobodyKeepsIt() throws {
        let center = try Center()
        let lives = Lifetimes()
        var observation: ObserverToken? = try observeWithLife(center, lives)
        #expect(lives.living == 1)
        #expect(try center.broadcast(Chat.onClose).calls == 1)
        _ = observation
        observation = nil
        #expect(lives.living == 0)
        #expect(try center.broadcast(Chat.onClose).calls == 0)
    }

    @Test func aKeptObservationEndsWithItsCenter() throws {
        let lives = Lifetimes()
        do {
            let center = try Center()
            try observeWithLife(center, lives).keep()
            #expect(try center.broadcast(Chat.onClose).calls == 1)
            #expect(lives.living == 1)
        }
        #expect(lives.living == 0)
    }

    @Test("O8: what a failed registration was given is freed")
    func aFailedRegistrationKeepsNothing() throws {
        let center = try Center()
        let lives = Lifetimes()
        let error = #expect(throws: PealError.self) { try observeWithLife(center, lives, Strict.may) }
        #expect(error?.status == .conformance)
        #expect(error?.message.contains("must") == true)
        #expect(lives.living == 0)
    }

    @Test("O4: higher priorities are called first, then the earlier ones")
    func theOrderIsThatOfPriorities() throws {
        let center = try Center()
        let heard = Record<Int>()
        let observations = [
            try center.observe(Chat.onClose) { heard.append(1) },
            try center.observe(Chat.onClose, .priority(-1)) { heard.append(2) },
            try center.observe(Chat.onClose, .priority(7)) { heard.append(3) },
            try center.observe(Chat.onClose) { heard.append(4) },
        ]
        try center.broadcast(Chat.onClose)
        #expect(heard.all == [3, 1, 4, 2])
        #expect(try center.observations(of: Chat.self).map(\.priority) == [7, 0, 0, -1])
        #expect(try center.observerCount(of: Chat.self) == 4)
        #expect(try center.method(Chat.onClose).observations().map(\.handle.number).count == 4)
        #expect(try center.method(Chat.onMessage).observerCount() == 0)
        withExtendedLifetime(observations) {}
    }

    @Test("O10: blocks are counted, and one that hears once ends before its call")
    func blocksAreCounted() throws {
        let center = try Center()
        let heard = Record<String>()
        let blocked = try center.observe(Chat.onClose, .blocked) { heard.append("blocked") }
        try blocked.block()
        try center.broadcast(Chat.onClose)
        try blocked.unblock()
        #expect(try blocked.info().isBlocked)
        try center.broadcast(Chat.onClose)
        try blocked.unblock()
        try center.broadcast(Chat.onClose)
        #expect(heard.all == ["blocked"])
        #expect(throws: PealError.self) { try blocked.unblock() }
        blocked.cancel()

        let once = try center.observe(Chat.onClose, .once) {
            heard.append("once")
            _ = try? center.broadcast(Chat.onClose)
        }
        try center.broadcast(Chat.onClose)
        try center.broadcast(Chat.onClose)
        #expect(heard.all == ["blocked", "once"])
        #expect(!once.isActive)
        #expect(once.cancel() == false)
        let error = #expect(throws: PealError.self) { try once.block() }
        #expect(error?.status == .handle)
    }

    @Test("O7: waiting for an end returns when the running call has, and not from that call")
    func waitingForAnEndWaitsForTheRunningCall() throws {
        let center = try Center()
        let began = Latch()
        let mayEnd = Latch()
        let ended = Record<String>()
        let observation = try center.observe(Chat.onClose) {
            began.open()
            _ = mayEnd.wait()
            ended.append("call")
        }
        let thread = DispatchQueue(label: "broadcast")
        thread.async { _ = try? center.broadcast(Chat.onClose) }
        #expect(began.wait())
        #expect(try observation.cancelAndWaitBlocking(timeout: .milliseconds(1)) == false)
        #expect(!observation.isActive)
        mayEnd.open()
        thread.sync {}
        #expect(ended.all == ["call"])

        let own = Mutex<ObserverToken?>(nil)
        let results = Record<Bool>()
        let second = try center.observe(Chat.onClose) {
            if let observation = own.withLock(\.self), let result = try? observation.cancelAndWaitBlocking() { results.append(result) }
        }
        own.withLock { $0 = second }
        try center.broadcast(Chat.onClose)
        #expect(results.all == [false])
        own.withLock { $0 = nil }
    }

    @Test("O6: one that is removed before its turn is not called")
    func oneThatIsRemovedBeforeItsTurnIsNotCalled() throws {
        let center = try Center()
        let heard = Record<Int>()
        let last = Mutex<ObserverToken?>(nil)
        let first = try center.observe(Chat.onClose) {
            heard.append(1)
            last.withLock(\.self)?.cancel()
        }
        let second = try center.observe(Chat.onClose) { heard.append(2) }
        try center.broadcast(Chat.onClose)
        #expect(heard.all == [1, 2])
        last.withLock { $0 = second }
        try center.broadcast(Chat.onClose)
        #expect(heard.all == [1, 2, 1])
        withExtendedLifetime(first) {}
    }

    @Test func anObserverOfAProtocolNamesItsMethods() throws {
        let center = try Center()
        let heard = Record<String>()
        let observation = try center.observe(Strict.self) {
            $0.on(Strict.may) { heard.append("may") }
            $0.on(Strict.must) { heard.append("must") }
        }
        try center.broadcast(Strict.must)
        try center.broadcast(Strict.may)
        #expect(heard.all == ["must", "may"])
        let twice = #expect(throws: PealError.self) {
            try center.observe(Strict.self) {
                $0.on(Strict.must) {}
                $0.on(Strict.must) {}
            }
        }
        #expect(twice?.status == .conflict)
        let none = #expect(throws: PealError.self) { try center.observe(Strict.self) { _ in } }
        #expect(none?.status == .argument)
        let foreign = #expect(throws: PealError.self) {
            try center.observe(Strict.self) {
                $0.on(Strict.must) {}
                $0.on(Chat.onClose) {}
            }
        }
        #expect(foreign?.status == .notFound)
        withExtendedLifetime(observation) {}
    }

    private func observeWithLife(
        _ center: Center, _ lives: Lifetimes, _ method: some MethodDeclaration = Chat.onClose
    ) throws -> ObserverToken {
        let life = lives.begin()
        if let method = method as? PealMethod<Strict, Void> {
            return try center.observe(method) { withExtendedLifetime(life) {} }
        }
        return try center.observe(Chat.onClose) { withExtendedLifetime(life) {} }
    }
}
