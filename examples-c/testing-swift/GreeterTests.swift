import Peal
import PealTesting
import Testing

enum Chat: PealProtocol {
    static let onJoin = Method<Void, String>("on_join", parameters: "member")
    static let onMessage = Method<Void, String, String>("on_message", parameters: "sender", "message")
    static let methods: [any MethodDeclaration] = [onJoin, onMessage]
}

/// The code that is tested: it welcomes each new member.
func addGreeter(_ name: String, in center: Center, on queue: Queue) throws -> ObserverToken {
    try center.observe(Chat.onJoin, .on(queue)) { member in
        _ = try? center.broadcast(Chat.onMessage, name, "welcome, \(member)")
    }
}

@Suite struct GreeterTests {
    @Test(.pealLeakCheck) func `a new member is welcomed`() async throws {
        let center = Center.ofTest
        let greeter = try addGreeter("Ann", in: center, on: Queue())
        let spy = try center.spy(on: Chat.onMessage)
        try center.broadcast(Chat.onJoin, "Eve")
        let calls = try await spy.calls(1)
        #expect(calls[0] == ("Ann", "welcome, Eve"))
        greeter.cancel()
    }

    @Test(.pealLeakCheck, arguments: 1...100 as ClosedRange<UInt64>)
    func `each greets once, whatever the order`(seed: UInt64) throws {
        let center = Center.ofTest
        let schedule = try Schedule(seed: seed)
        let greeters = try ["Ann", "Bob"].map { try addGreeter($0, in: center, on: schedule.makeQueue()) }
        let spy = try center.spy(on: Chat.onMessage)
        try center.broadcast(Chat.onJoin, "Eve")
        try schedule.run()
        #expect(spy.calls.map(\.0).sorted() == ["Ann", "Bob"])
        for greeter in greeters { greeter.cancel() }
    }
}
