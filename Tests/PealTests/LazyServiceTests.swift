import CPeal
import Peal
import Testing

/// Services that observe a protocol, and are created by its first broadcast.
@Suite struct LazyServiceTests {
    let center: Center
    let population = Population()
    let notes = Record<String>()

    init() throws { center = try Center() }

    private enum Chat: PealProtocol {
        static let name = "Chat"
        static let onMessage = Method<Void, String, Int32>("on_message", parameters: "room", "count")
        static let onClose = Method<Void>("on_close")
        static let votes = Method<Int32>("votes", policy: .sum)
        static let methods: [any MethodDeclaration] = [onMessage, onClose, votes]
    }

    private func register(_ name: String = "history") throws -> ServiceProvider<Counted> {
        try center.register(Counted.self, named: name, end: { [notes] in notes.append("\($0.name) ends") }) {
            [population] _ in Counted(population, name)
        }
    }

    @Test
    func `O13: a lazy observer is created by the first broadcast of its method, and after its removal by the next one`()
        throws
    {
        let history = try register()
        let observation = try center.observe(Chat.onMessage, by: history) { [notes] history, room, count in
            notes.append("\(history.name) \(room) \(count)")
        }
        try center.broadcast(Chat.onClose)
        #expect(population.made == 0)
        try center.broadcast(Chat.onMessage, "lobby", 1)
        try center.broadcast(Chat.onMessage, "lobby", 2)
        #expect(population.made == 1)
        #expect(try history.removeInstance() == .complete)
        try center.broadcast(Chat.onMessage, "hall", 3)
        #expect(population.made == 2)
        #expect(notes.all == ["history lobby 1", "history lobby 2", "history ends", "history hall 3"])
        observation.cancel()
        try center.broadcast(Chat.onMessage, "hall", 4)
        #expect(notes.all.count == 4)
    }

    @Test
    func
        `O4, O13: a lazy observer is called in the position of its registration, and when its creation fails this is reported and others are called`()
        throws
    {
        let events = Record<ServiceEvent>()
        let attempts = Population()
        let failing = try center.register(Counted.self, named: "failing") { [population] _ in
            attempts.began()
            if attempts.made == 1 { throw ServiceEventTests.Failing() }
            return Counted(population)
        }
        let told = try center.observeServices { events.append($0) }
        let observations = [
            try center.observe(Chat.onClose) { [notes] in notes.append("first") },
            try center.observe(Chat.onClose, by: failing) { [notes] _ in notes.append("service") },
            try center.observe(Chat.onClose) { [notes] in notes.append("last") },
        ]
        try center.broadcast(Chat.onClose)
        #expect(notes.all == ["first", "last"])
        let wasTold = events.all.contains { if case .failed("failing", _) = $0 { true } else { false } }
        #expect(wasTold)
        try center.broadcast(Chat.onClose)
        #expect(notes.all.suffix(3) == ["first", "service", "last"])
        withExtendedLifetime((observations, told)) {}
    }

    @Test func `a method with a result gets the lazy observer's, or its default when the creation fails`() throws {
        let history = try register()
        let broken = try center.register(Counted.self, named: "broken") { _ in throw ServiceEventTests.Failing() }
        let observations = [
            try center.observe(Chat.votes, by: history, otherwise: 100) { history in Int32(history.name.utf8.count) },
            try center.observe(Chat.votes, by: broken, otherwise: 1000) { _ in 1 },
        ]
        #expect(try center.ask(Chat.votes) == 1007)
        withExtendedLifetime(observations) {}
    }

    @Test func `O13: a broadcast does not call a lazy observer within its own creation`() throws {
        let service = try center.register(Counted.self) { [population] creation in
            try creation.center.broadcast(Chat.onClose)
            return Counted(population)
        }
        let observation = try center.observe(Chat.onClose, by: service) { [notes] _ in notes.append("called") }
        try center.broadcast(Chat.onClose)
        #expect(notes.all == ["called"])
        #expect(population.made == 1)
        withExtendedLifetime(observation) {}
    }

    @Test func `O13: a lazy observation ends with its service, and its closure is freed`() throws {
        let service = try register()
        let captured = Population()
        let observation = try observe(service, Counted(captured))
        try center.broadcast(Chat.onClose)
        #expect(try service.remove() == .complete)
        try center.broadcast(Chat.onClose)
        #expect(!observation.isActive)
        #expect(captured.alive == 0)
        #expect(pealError { try observe(service, Counted(captured)) }?.status == .handle)
        #expect(captured.alive == 0)
    }

    private func observe(_ service: ServiceProvider<Counted>, _ captured: Counted) throws -> ObserverToken {
        try center.observe(Chat.onClose, by: service) { [notes] _ in notes.append("called\(captured.name)") }
    }

    @Test
    func `a lazy observation of a service of another type, or not of Swift, is refused before there is an instance`()
        throws
    {
        _ = try register()
        let wrong = try center.service(Account.self, named: "history")
        #expect(pealError { try center.observe(Chat.onClose, by: wrong) { _ in } }?.status == .type)
        let own = try center.service(Account.self, named: "peal.services")
        #expect(pealError { try center.observe(Chat.onClose, by: own) { _ in } }?.status == .type)
    }

    @Test func `O13: a table of C functions observes lazily, and its functions find the object`() throws {
        var table = peal_lifecycle()
        table.open_url = { pointer, url in
            swiftInstance(of: Counted.self, at: pointer)?.name == url.map { String(cString: $0) }
        }
        let service = try center.register(Counted.self, provides: [Provision("PealLifecycle", table)]) {
            [population] _ in
            Counted(population, "mail")
        }
        let observation = try center.observe("PealLifecycle", by: service)
        try center.lifecycle.didBecomeActive()
        #expect(population.made == 0)
        #expect(try !center.lifecycle.openURL("web"))
        #expect(try center.lifecycle.openURL("mail"))
        #expect(population.made == 1)
        #expect(try service.info().createdBy == "observer of PealLifecycle")
        #expect(pealError { try center.observe("PealLifecycle", by: service) }?.status == .duplicate)
        let replacing = try center.observe("PealLifecycle", by: service, .replacing)
        #expect(!observation.isActive && replacing.isActive)
        #expect(pealError { try center.observe("PealModules", by: service) }?.status == .notFound)
        #expect(pealError { try center.observe("None", by: service) }?.status == .notFound)
    }

    @Test func `O13: of broadcasts that begin at once one creates the lazy observer, and each calls it once`() throws {
        let service = try register()
        let observation = try center.observe(Chat.onClose, by: service) { [notes] _ in notes.append("called") }
        let arrived = Latch(), go = Latch()
        onThreads(9) { [center] index in
            if index == 8 {
                for _ in 0..<8 { #expect(arrived.wait()) }
                for _ in 0..<8 { go.open() }
            } else {
                arrived.open()
                #expect(go.wait())
                _ = try? center.broadcast(Chat.onClose)
            }
        }
        #expect(population.made == 1)
        #expect(notes.all.count == 8)
        withExtendedLifetime(observation) {}
    }
}
