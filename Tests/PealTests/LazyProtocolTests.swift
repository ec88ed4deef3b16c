import CPeal
import Peal
import Testing

/// Services that observe whole protocols of C and of Swift, and are created by the first broadcast.
@Suite struct LazyProtocolTests {
    let center: Center
    let population = Population()
    let notes = Record<String>()

    init() throws { center = try Center() }

    private enum Chat: PealProtocol {
        static let name = "Chat"
        static let onMessage = Method<Void, String, Int32>("on_message", parameters: "room", "count")
        static let onClose = Method<Void>("on_close")
        static let votes = Method<Int32, Int32>("votes", policy: .sum)
        static let onPush = Method<Void, Completion>("on_push", parameters: "done")
        static let methods: [any MethodDeclaration] = [onMessage, onClose, votes, onPush]
    }

    private enum Strict: PealProtocol {
        static let onFirst = Method<Void>("on_first", isRequired: true)
        static let onSecond = Method<Void>("on_second", isRequired: true)
        static let methods: [any MethodDeclaration] = [onFirst, onSecond]
    }

    private protocol Listener: Sendable {
        func didReceive(_ text: String)
    }

    private protocol Closer: AnyObject, Sendable {
        func mayClose() -> Bool
    }

    private final class History: Listener, Closer {
        let counted: Counted
        let notes: Record<String>

        init(_ population: Population, _ notes: Record<String>) {
            counted = Counted(population, "history")
            self.notes = notes
        }

        func keep(room: String, count: Int32) { notes.append("\(room) \(count)") }
        func votes(_ most: Int32) -> Int32 { most - 1 }
        func didReceive(_ text: String) { notes.append("received \(text)") }
        func mayClose() -> Bool { false }
    }

    private func register(_ name: String? = nil) throws -> ServiceProvider<History> {
        try center.register(History.self, named: name, end: { [notes] _ in notes.append("ends") }) {
            [population, notes] _ in History(population, notes)
        }
    }

    @Test func `O13: a lazy observer of a protocol is created once, by the broadcast of a method that it names`() throws
    {
        let observation = try center.observe(Chat.self, by: try register()) {
            $0.on(Chat.onMessage) { $0.keep(room: $1, count: $2) }
            $0.on(Chat.votes, otherwise: 0) { $0.votes($1) }
            $0.on(Chat.onPush) { history, done in done.complete(with: Int64(history.counted.name.utf8.count)) }
        }
        try center.broadcast(Chat.onClose)
        #expect(population.made == 0)
        #expect(try center.ask(Chat.votes, 5) == 4)
        try center.broadcast(Chat.onMessage, "lobby", 3)
        let answers = Record<Answers>()
        try center.broadcast(Chat.onPush, Completion { answers.append($0) })
        #expect(population.made == 1)
        #expect(notes.all == ["lobby 3"])
        #expect(answers.all.map(\.result) == [7])
        observation.cancel()
        try center.broadcast(Chat.onMessage, "lobby", 4)
        #expect(notes.all == ["lobby 3"])
    }

    @Test
    func
        `O13: when the creation of a lazy observer fails, its method returns its default, and its completion is dropped`()
        throws
    {
        let broken = try center.register(History.self) { _ in throw ServiceEventTests.Failing() }
        let observation = try center.observe(Chat.self, by: broken) {
            $0.on(Chat.votes, otherwise: 100) { _, most in most }
            $0.on(Chat.onPush) { _, done in done.complete() }
        }
        #expect(try center.ask(Chat.votes, 5) == 100)
        let answers = Record<Answers>()
        try center.broadcast(Chat.onPush, Completion { answers.append($0) })
        #expect(answers.all.map(\.dropped) == [1])
        withExtendedLifetime(observation) {}
    }

    @Test
    func
        `O13: a service that observes several protocols lazily, of C and of Swift, is created by the first broadcast of any`()
        throws
    {
        let history = try register()
        let observation = try center.observe(Chat.self, by: history) {
            $0.on(Chat.onMessage) { $0.keep(room: $1, count: $2) }
        }
        try center.observe((any Listener).self, by: history, as: { $0 }).keep()
        try center.observe((any Closer).self, by: history, as: { $0 }).keep()
        #expect(population.made == 0)
        #expect(try center.broadcast((any Listener).self) { $0.didReceive("hello") }.calls == 1)
        #expect(population.made == 1)
        try center.broadcast(Chat.onMessage, "lobby", 3)
        #expect(try center.first((any Closer).self) { $0.mayClose() } == false)
        #expect(population.made == 1)
        #expect(notes.all == ["received hello", "lobby 3"])
        withExtendedLifetime(observation) {}
    }

    @Test
    func
        `O13: after the removal of a lazy observer's instance the next broadcast to a Swift type creates another, and the registration ends with the service`()
        throws
    {
        let history = try register()
        let observation = try center.observe((any Listener).self, by: history, as: { $0 })
        try center.broadcast((any Listener).self) { $0.didReceive("one") }
        #expect(try history.removeInstance() == .complete)
        try center.broadcast((any Listener).self) { $0.didReceive("two") }
        #expect(population.made == 2)
        #expect(notes.all == ["received one", "ends", "received two"])
        #expect(try history.remove() == .complete)
        try center.broadcast((any Listener).self) { $0.didReceive("three") }
        #expect(!observation.isActive)
        #expect(population.alive == 0)
        #expect(try center.observerCount(of: (any Listener).self) == 0)
        #expect(pealError { try center.observe((any Listener).self, by: history, as: { $0 }) }?.status == .handle)
    }

    /// A struct that observes. Only the service retains it.
    private struct Note: Listener {
        let counted: Counted
        let notes: Record<String>
        let padding = (1, 2, 3, 4)
        func didReceive(_ text: String) { notes.append("\(counted.name) \(text) \(padding.3)") }
    }

    @Test
    func
        `O13: a service that is registered as a Swift protocol observes it lazily, also as a struct, in its position and on a queue`()
        throws
    {
        let service = try center.register((any Listener).self) { [population, notes] _ in
            Note(counted: Counted(population, "struct"), notes: notes)
        }
        let queue = try Queue.pumped()
        try center.observe((any Listener).self, by: service, .priority(1)).keep()
        try center.observe((any Listener).self, by: service, .on(queue)).keep()
        #expect(try center.broadcast((any Listener).self) { $0.didReceive("hello") }.calls == 2)
        #expect(notes.all == ["struct hello 4"])
        #expect(try queue.pump() == 1)
        #expect(notes.all == ["struct hello 4", "struct hello 4"])
        #expect(try center.collect((any Listener).self) { _ in 1 } == [1])
        #expect(population.made == 1)
    }

    @Test func `O13: a broadcast to a Swift type does not call a lazy observer within its own creation`() throws {
        let service = try center.register(History.self) { [population, notes] creation in
            try creation.center.broadcast((any Listener).self) { $0.didReceive("early") }
            return History(population, notes)
        }
        try center.observe((any Listener).self, by: service, as: { $0 }).keep()
        try center.broadcast((any Listener).self) { $0.didReceive("late") }
        #expect(notes.all == ["received late"])
        #expect(population.made == 1)
    }

    @Test
    func `O3: a second lazy registration of a service for a protocol is refused, replaces the first, or is called too`()
        throws
    {
        let history = try register()
        let other = try register("other")
        func observe(_ service: ServiceProvider<History>, _ option: ObserverOption = .priority(0)) throws
            -> ObserverToken
        {
            try center.observe(Chat.self, by: service, option) {
                $0.on(Chat.onMessage) { $0.keep(room: $1, count: $2) }
            }
        }
        let first = try observe(history)
        let error = pealError { try observe(history) }
        #expect(error?.status == .duplicate)
        #expect(error?.message.hasPrefix("the service observes") == true)
        let second = try observe(other)
        let third = try observe(history, .replacing)
        #expect(!first.isActive && second.isActive && third.isActive)
        let fourth = try observe(history, .allowingDuplicates)
        #expect(try center.broadcast(Chat.onMessage, "lobby", 1).calls == 3)
        #expect(notes.all.count == 3)
        third.cancel()
        fourth.cancel()
        #expect(try observe(history).isActive)
        try center.observe((any Listener).self, by: history, as: { $0 }).keep()
        #expect(pealError { try center.observe((any Listener).self, by: history, as: { $0 }) }?.status == .duplicate)
    }

    @Test func `a lazy registration that does not fit is refused, and no instance is created`() throws {
        let history = try register()
        let wrong = try center.service(Account.self, named: try history.info().name)
        #expect(
            pealError { try center.observe(Chat.self, by: wrong) { $0.on(Chat.onClose) { _ in } } }?.status == .type)
        #expect(
            pealError {
                try center.observe(
                    (any Listener).self, by: try center.service((any Listener).self, named: try history.info().name))
            }?.status
                == .type)
        #expect(pealError { try center.observe(Chat.self, by: history) { _ in } }?.status == .argument)
        let missing = pealError { try center.observe(Strict.self, by: history) { $0.on(Strict.onFirst) { _ in } } }
        #expect(missing?.status == .conformance)
        #expect(missing?.message.contains("on_second") == true)
        #expect(population.made == 0)
    }

    @Test func `the captures of a lazy observer's closures are freed with the registration`() throws {
        let captured = Population()
        let history = try register()
        func observe() throws -> ObserverToken {
            let kept = Counted(captured)
            return try center.observe(Chat.self, by: history) {
                $0.on(Chat.onClose) { _ in withExtendedLifetime(kept) {} }
            }
        }
        func observeType() throws -> ObserverToken {
            let kept = Counted(captured)
            return try center.observe(
                (any Listener).self, by: history, as: { instance in withExtendedLifetime(kept) { instance } })
        }
        let observations = [try observe(), try observeType()]
        #expect(captured.alive == 2)
        observations.forEach { $0.cancel() }
        #expect(captured.alive == 0)
        #expect(pealError { try observe().cancel() } == nil)
        #expect(captured.alive == 0)
    }

    @Test
    func `O13: of broadcasts to a Swift type that begin at once one creates the lazy observer, and each calls it once`()
        throws
    {
        try center.observe((any Listener).self, by: try register(), as: { $0 }).keep()
        let arrived = Latch()
        let go = Latch()
        onThreads(9) { [center] index in
            if index == 8 {
                for _ in 0..<8 { #expect(arrived.wait()) }
                for _ in 0..<8 { go.open() }
            } else {
                arrived.open()
                #expect(go.wait())
                _ = try? center.broadcast((any Listener).self) { $0.didReceive("hello") }
            }
        }
        #expect(population.made == 1)
        #expect(notes.all.count == 8)
    }
}
