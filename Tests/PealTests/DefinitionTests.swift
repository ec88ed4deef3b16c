import CPeal
import Peal
import Testing

private enum Room: PealProtocol {
    static let enter = Method<Void, String>("enter", parameters: "who")
    static let methods: [any MethodDeclaration] = [enter]
    static let adopts: [any PealProtocol.Type] = [Chat.self]
}

private enum Sink: PealProtocol {
    static let name = "Sink"
    static let line = Method<Void, String>("line")
    static let methods: [any MethodDeclaration] = [line]
}

/// The next version of the same protocol.
private enum NewSink: PealProtocol {
    static let name = "Sink"
    static let line = Method<Void, String>("line")
    static let rotate = Method<Void, Int32>("rotate", since: 2)
    static let forgotten = Method<Void>("forgotten")
    /// A declaration of the same method with another type.
    static let wrongLine = Method<Void, Int32>("line")
    static let methods: [any MethodDeclaration] = [line, rotate]
}

@Suite struct DefinitionTests {
    @Test func `P4: an observer of a protocol implements methods of the protocols that it adopts`() throws {
        let center = try Center()
        let heard = Record<String>()
        let observation = try center.observe(Room.self) {
            $0.on(Room.enter) { heard.append("enter \($0)") }
            $0.on(Chat.onMessage) { room, count in heard.append("\(room) \(count)") }
        }
        let chat = try center.observe(Chat.onMessage) { _, _ in heard.append("chat") }
        try center.broadcast(Room.enter, "anna")
        try center.broadcast(Chat.onMessage, "lobby", 1)
        try center.method(Chat.onMessage, through: Room.self)("hall", 2)
        #expect(heard.all == ["enter anna", "lobby 1", "chat", "hall 2"])
        withExtendedLifetime((observation, chat)) {}
    }

    @Test func `P6: a protocol grows by methods at its end`() throws {
        let center = try Center()
        let heard = Record<String>()
        let old = try center.observe(Sink.line) { heard.append($0) }
        let new = try center.observe(NewSink.rotate) { heard.append("\($0)") }
        try center.broadcast(NewSink.line, "text")
        try center.broadcast(NewSink.rotate, 3)
        #expect(heard.all == ["text", "3"])
        #expect(try center.methods(of: "Sink").map(\.name) == ["line", "rotate"])
        withExtendedLifetime((old, new)) {}
    }

    @Test func `P6: each of two declarations of a method is checked, also after the first was used`() throws {
        let center = try Center()
        let heard = Record<String>()
        let observation = try center.observe(NewSink.line) { heard.append($0) }
        try center.broadcast(NewSink.line, "text")
        let broadcast = #expect(throws: PealError.self) { try center.broadcast(NewSink.wrongLine, 7) }
        #expect(broadcast?.status == .conflict)
        let observed = #expect(throws: PealError.self) { try center.observe(NewSink.wrongLine) { _ in } }
        #expect(observed?.status == .conflict)
        #expect(heard.all == ["text"])
        withExtendedLifetime(observation) {}
    }

    @Test func `a method that its protocol does not list is named`() throws {
        let center = try Center()
        let error = #expect(throws: PealError.self) { try center.broadcast(NewSink.forgotten) }
        #expect(error?.status == .notFound)
        #expect(error?.message == "protocol Sink: 'forgotten' is not in NewSink.methods; add it there")
    }

    @Test func `a method is found by name with its types`() throws {
        let center = try Center()
        try center.defineInC(
            "Plugin", ["optional void ping(int number)", "optional int32_t votes(const char *who), sum"])
        let ping = try center.method("ping", of: "Plugin", taking: Int32.self)
        let votes = try center.method("votes", of: "Plugin", returning: Int32.self, taking: String.self)
        let heard = Record<Int32>()
        let first = try center.observe(ping) { heard.append($0) }
        let second = try center.observe(votes, .priority(1)) { Int32($0.utf8.count) }
        try ping(5)
        #expect(heard.all == [5])
        #expect(try votes("anna") == 4)
        #expect(try center.methods(of: "Plugin").map(\.policy) == [.all, .sum])
        let types = #expect(throws: PealError.self) { _ = try center.method("ping", of: "Plugin", taking: Int64.self) }
        #expect(
            types?.message
                == "method Plugin.ping: parameter 1 'number' is int, and Swift declares Int64, which is int64_t; they have 4 and 8 bytes"
        )
        let name = #expect(throws: PealError.self) { _ = try center.method("pong", of: "Plugin", taking: Int64.self) }
        #expect(name?.status == .notFound)
        let owner = #expect(throws: PealError.self) { _ = try center.methods(of: "Nothing") }
        #expect(owner?.status == .notFound)
        withExtendedLifetime((first, second)) {}
    }

    @Test func `a protocol that was removed can be defined again`() throws {
        let center = try Center()
        var owner = peal_owner(id: 0)
        try #require(peal_owner_create("plugin", &owner) == PEAL_OK)
        try #require(peal_owner_enter(owner) == PEAL_OK)
        try center.define(Sink.self)
        #expect(peal_owner_leave() == PEAL_OK)
        let bound = try center.method(Sink.line)
        #expect(try center.broadcast(Sink.line, "first").calls == 0)
        #expect(peal_owner_retire(owner, PEAL_FOREVER) == PEAL_OK)
        let error = #expect(throws: PealError.self) { try bound("stale") }
        #expect(error?.status == .handle)
        #expect(try center.broadcast(Sink.line, "second").calls == 0)
        let observation = try center.observe(Sink.line) { _ in }
        #expect(try center.broadcast(Sink.line, "third").calls == 1)
        withExtendedLifetime(observation) {}
    }

    @Test func `using a center that has ended fails with its status`() throws {
        var handle = peal_center(id: 0)
        try #require(peal_center_create(&handle) == PEAL_OK)
        let center = Center(borrowing: handle)
        let observation = try center.observe(Chat.onClose) {}
        #expect(peal_center_destroy(handle) == PEAL_OK)
        #expect(!observation.isActive)
        for error in [
            #expect(throws: PealError.self) { try center.broadcast(Chat.onClose) },
            #expect(throws: PealError.self) { try center.observe(Chat.onClose) {} },
            #expect(throws: PealError.self) { try center.define(Sink.self) },
        ] {
            #expect(error?.status == .handle)
            #expect(error?.message.isEmpty == false)
        }
    }
}
