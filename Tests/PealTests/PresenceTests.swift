import CPeal
import Peal
import Testing

/// First and last observers of methods, and changes of protocols.
@Suite struct PresenceTests {
    let center: Center

    init() throws { center = try Center() }

    private enum Grown: PealProtocol {
        static let name = "Chat"
        static let onEdit = Method<Void, Int32>("on_edit", parameters: "number", since: 2)
        static let methods: [any MethodDeclaration] = Chat.methods + [onEdit]
    }

    @Test func `P11: the first and the last observer of a method are announced, and the growth of protocols`() throws {
        let events = Record<PresenceEvent>()
        let presence = try center.observePresence { events.append($0) }
        try center.define(Chat.self)
        var first: ObserverToken? = try center.observe(Chat.onClose) {}
        let second = try center.observe(Chat.onClose) {}
        first = nil
        second.cancel()
        try center.define(Grown.self)
        #expect(
            events.all == [
                .defined("Chat"), .observed("on_close", of: "Chat"), .unobserved("on_close", of: "Chat"),
                .grown("Chat", methods: 6),
            ])
        presence.cancel()
        try center.observe(Chat.onClose) {}.cancel()
        #expect(events.all.count == 4)
        withExtendedLifetime(first) {}
    }

    @Test func `P11: an observer of presence may register and remove others, whose changes are announced after it`()
        throws
    {
        let events = Record<PresenceEvent>()
        let kept = Record<ObserverToken>()
        let presence = try center.observePresence { [center] event in
            if event == .observed("on_close", of: "Chat"),
                let observer = try? center.observe(Chat.onNumber, body: { _ in })
            {
                kept.append(observer)
            }
            events.append(event)
        }
        let observer = try center.observe(Chat.onClose) {}
        #expect(events.all.suffix(2) == [.observed("on_close", of: "Chat"), .observed("on_number", of: "Chat")])
        withExtendedLifetime((presence, observer)) {}
    }

    @Test func `P11: presence is a sequence, which ends with the center`() async throws {
        var short: Center? = try Center()
        var events = try #require(short).presenceEvents().makeAsyncIterator()
        let observer = try #require(short).observe(Chat.onClose) {}
        #expect(await events.next() == .defined("Chat"))
        #expect(await events.next() == .observed("on_close", of: "Chat"))
        observer.cancel()
        #expect(await events.next() == .unobserved("on_close", of: "Chat"))
        short = nil
        #expect(await events.next() == nil)
    }
}
