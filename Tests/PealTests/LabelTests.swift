import CPeal
import Peal
import Testing

/// Labels of observers, queues, timers and services.
@Suite struct LabelTests {
    let center: Center

    init() throws { center = try Center() }

    @Test func `P10: the information of an observer has its label, its passive mark and nothing that was not set`()
        throws
    {
        let watcher = try center.observe(Chat.onMessage, .label("log of all messages"), .passive) { _, _ in }
        let other = try center.observe(Chat.onMessage) { _, _ in }
        #expect(try watcher.info().label == "log of all messages")
        #expect(try watcher.info().isPassive)
        #expect(try other.info().label == nil)
        #expect(try !other.info().isPassive && !other.info().includesLaterMethods)
        #expect(try center.observations(of: Chat.self).map(\.label) == ["log of all messages", nil])
    }

    @Test func `P10: observers of objects, actors, properties and services have labels`() throws {
        let window = Counted(Population())
        let object = try center.observe(Chat.self, for: window, .label("window")) { $0.on(Chat.onClose) { _ in } }
        #expect(try object.info().label == "window")
        let volume = try Property("volume", initially: Int32(1), in: center)
        let change = try volume.observe([], .label("bar")) { _, _ in }
        #expect(try change.info().label == "bar")
        let service = try center.register(Counted.self, label: "counts windows") { _ in Counted(Population()) }
        #expect(try service.info().label == "counts windows")
        let lazy = try center.observe(Chat.self, by: service, .label("counter")) { $0.on(Chat.onClose) { _ in } }
        #expect(try lazy.info().label == "counter")
        withExtendedLifetime(window) {}
    }

    @Test func `P10: queues and timers of all kinds have labels`() throws {
        let pumped = try Queue.pumped(label: "main loop")
        #expect(try pumped.info().label == "main loop")
        #expect(try Queue(name: "disk", label: "writes files").info().label == "writes files")
        #expect(try Queue(actor: MainActor.shared, label: "on the main actor").info().label == "on the main actor")
        #expect(try Queue().info().label == nil)
        let timer = try QueueTimer(every: .seconds(1), label: "saves", on: pumped) {}
        #expect(try timer.info().label == "saves")
        #expect(try QueueTimer(every: .seconds(1)) {}.info().label == nil)
    }

    @Test func `P10, F1: a label is cut between characters, and one with a zero byte is refused`() throws {
        let long = String(repeating: "ä", count: 40)
        let observer = try center.observe(Chat.onClose, .label(long)) {}
        #expect(try observer.info().label == String(repeating: "ä", count: 31))
        #expect(pealError { try center.observe(Chat.onClose, .label("a\0b")) {} }?.status == .argument)
        #expect(pealError { try Queue(label: "a\0b") }?.status == .argument)
        #expect(pealError { try QueueTimer(every: .seconds(1), label: "a\0b") {} }?.status == .argument)
        #expect(
            pealError { try center.register(Counted.self, label: "a\0b") { _ in Counted(Population()) } }?.status
                == .argument)
        #expect(try center.observerCount(of: Chat.self) == 1)
    }
}
