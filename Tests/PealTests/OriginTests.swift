import CPeal
import Peal
import Testing

/// Broadcasts with an origin, and without one of the observers.
@Suite struct OriginTests {
    let center: Center

    init() throws { center = try Center() }

    @Test func `B10, O17: an observer reads the origin of its call, and the observer that is left out is not called`()
        throws
    {
        let heard = Record<String>()
        let first = try center.observe(Chat.onMessage) { _, _ in heard.append("first \(CallInfo.current?.origin ?? 99)")
        }
        let second = try center.observe(Chat.onMessage) { _, _ in
            heard.append("second \(CallInfo.current?.origin ?? 99)")
        }
        #expect(try center.broadcast(Chat.onMessage, "lobby", 1, from: 7, except: first).calls == 1)
        #expect(try center.method(Chat.onMessage).broadcast("lobby", 1, from: 8).calls == 2)
        #expect(try center.broadcast(Chat.onMessage, "lobby", 1).calls == 2)
        #expect(heard.all == ["second 7", "first 8", "second 8", "first 0", "second 0"])
        withExtendedLifetime((first, second)) {}
    }

    @Test func `O17: an observer reads its method and its registration, and code outside of a call reads nothing`()
        throws
    {
        let read = Record<CallInfo>()
        let observer = try center.observe(Chat.onClose) { if let call = CallInfo.current { read.append(call) } }
        try center.broadcast(Chat.onClose)
        let call = try #require(read.all.first)
        #expect(call.observation.id == observer.handle.id)
        #expect(try call.method.id == center.method(Chat.onClose).handle.id)
        #expect(call.center.id == center.handle.id)
        peal_clear_failure()
        #expect(CallInfo.current == nil)
        #expect(peal_last_status() == PEAL_OK)
    }

    @Test func `Q10: a call on a queue keeps the origin`() throws {
        let queue = try Queue.pumped()
        let heard = Record<UInt64>()
        let observer = try center.observe(Chat.onClose, .on(queue)) { heard.append(CallInfo.current?.origin ?? 0) }
        try center.broadcast(Chat.onClose, from: 7)
        try queue.pump()
        #expect(heard.all == [7])
        withExtendedLifetime(observer) {}
    }
}
