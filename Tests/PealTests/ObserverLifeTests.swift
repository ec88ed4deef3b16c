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
    @Test func `an observation ends when its last reference ends, unless it is kept`() throws {
        let center = try Center()
        let population = Population()
        var observation: ObserverToken? = try observeWithLife(center, population)
        #expect(population.alive == 1)
        #expect(try center.broadcast(Chat.onClose).calls == 1)
        _ = observation
        observation = nil
        #expect(population.alive == 0)
        #expect(try center.broadcast(Chat.onClose).calls == 0)
    }

    @Test func `a kept observation ends with its center`() throws {
        let population = Population()
        do {
            let center = try Center()
            try observeWithLife(center, population).keep()
            #expect(try center.broadcast(Chat.onClose).calls == 1)
            #expect(population.alive == 1)
        }
        #expect(population.alive == 0)
    }

    @Test func `O8: the closure of a failed registration is freed`() throws {
        let center = try Center()
        let population = Population()
        let error = #expect(throws: PealError.self) { try observeWithLife(center, population, Strict.may) }
        #expect(error?.status == .conformance)
        #expect(error?.message.contains("must") == true)
        #expect(population.alive == 0)
    }

    @Test
    func `O4: observers of higher priority are called first, and those of equal priority in the order of registration`()
        throws
    {
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
        #expect(try center.method(Chat.onClose).observations().map(\.handle.id).count == 4)
        #expect(try center.method(Chat.onMessage).observerCount() == 0)
        withExtendedLifetime(observations) {}
    }

    @Test func `O10: blocks of an observer are counted, and an observer with the option once ends before its call`()
        throws
    {
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

    @Test
    func `O7: a waiting end of an observation returns after the running call, and does not wait inside that call`()
        throws
    {
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
            if let observation = own.withLock(\.self), let result = try? observation.cancelAndWaitBlocking() {
                results.append(result)
            }
        }
        own.withLock { $0 = second }
        try center.broadcast(Chat.onClose)
        #expect(results.all == [false])
        own.withLock { $0 = nil }
    }

    @Test func `O6: an observer that is removed before its turn is not called`() throws {
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

    @Test func `an observer of a protocol names the methods that it implements`() throws {
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
        _ center: Center, _ population: Population, _ method: some MethodDeclaration = Chat.onClose
    ) throws -> ObserverToken {
        let life = Counted(population)
        if let method = method as? PealMethod<Strict, Void> {
            return try center.observe(method) { withExtendedLifetime(life) {} }
        }
        return try center.observe(Chat.onClose) { withExtendedLifetime(life) {} }
    }
}
