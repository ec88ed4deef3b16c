import Peal
import Synchronization
import Testing

/// An observer that counts its instances.
private final class Window: Sendable {
    static let population = Population()
    private let counted = Counted(Window.population)
    let shown = Mutex<[String]>([])

    func show(room: String, count: Int32) { shown.withLock { $0.append("\(room) \(count)") } }
    func mayClose() -> Bool { false }
}

@Suite(.serialized) struct ObserverTests {
    @Test func `an object observes by methods of its class`() throws {
        let center = try Center()
        let window = Window()
        let observation = try center.observe(Chat.self, for: window) {
            $0.on(Chat.onMessage) { $0.show(room: $1, count: $2) }
            $0.on(Chat.mayClose) { $0.mayClose() }
            $0.on(Chat.votes) { window, room in Int32(window.shown.withLock(\.count)) + Int32(room.utf8.count) }
        }
        try center.broadcast(Chat.onMessage, "lobby", 3)
        #expect(window.shown.withLock(\.self) == ["lobby 3"])
        #expect(try center.ask(Chat.mayClose) == false)
        #expect(try center.ask(Chat.votes, "hall") == 5)
        #expect(observation.isActive)
    }

    @Test func `O9: an observing object that has died is not called, and its observation ends`() throws {
        let center = try Center()
        var window: Window? = Window()
        let observation = try center.observe(Chat.self, for: window!) {
            $0.on(Chat.onMessage) { $0.show(room: $1, count: $2) }
        }
        #expect(try center.broadcast(Chat.onMessage, "lobby", 3).calls == 1)
        let before = Window.population.alive
        window = nil
        #expect(Window.population.alive == before - 1)
        #expect(try center.broadcast(Chat.onMessage, "lobby", 3).calls == 0)
        #expect(!observation.isActive)
    }

    @Test func `O9: the observation of an object lasts without a reference to it`() throws {
        let center = try Center()
        let window = Window()
        try center.observe(Chat.self, for: window) { $0.on(Chat.onMessage) { $0.show(room: $1, count: $2) } }
        #expect(try center.broadcast(Chat.onMessage, "lobby", 3).calls == 1)
        #expect(try center.unobserve(Chat.self, for: window) == 1)
    }

    @Test func `O3: a second observation of the same object is refused, replaces the first, or is called too`() throws {
        let center = try Center()
        let window = Window()
        let first = try center.observe(Chat.self, for: window) {
            $0.on(Chat.onMessage) { $0.show(room: $1, count: $2) }
        }
        let error = #expect(throws: PealError.self) {
            try center.observe(Chat.self, for: window) { $0.on(Chat.onMessage) { $0.show(room: $1, count: $2) } }
        }
        #expect(error?.status == .duplicate)
        let second = try center.observe(Chat.self, for: window, .replacing) {
            $0.on(Chat.onMessage) { $0.show(room: $1, count: $2) }
        }
        #expect(!first.isActive && second.isActive)
        let third = try center.observe(Chat.self, for: window, .allowingDuplicates) {
            $0.on(Chat.onMessage) { $0.show(room: $1, count: $2) }
        }
        #expect(try center.broadcast(Chat.onMessage, "lobby", 3).calls == 2)
        #expect(try center.unobserve(Chat.self, for: window) == 2)
        #expect(!second.isActive && !third.isActive)
    }
}
