import Peal
import Testing

private enum Player {
    enum Events: PealProtocol {
        static let onChange = Method<Void, Int32>("on_change")
        static let methods: [any MethodDeclaration] = [onChange]
    }

    final class Store: Sendable {}
}

private enum Document {
    enum Events: PealProtocol {
        static let onChange = Method<Void, Int32>("on_change")
        static let methods: [any MethodDeclaration] = [onChange]
    }

    final class Store: Sendable {}
}

enum Track {
    enum Events: PealProtocol {
        static let methods: [any MethodDeclaration] = []
    }
}

/// Default names of protocols and services.
@Suite struct NameTests {
    let center: Center

    init() throws { center = try Center() }

    @Test func `protocols of two types of one name are different`() throws {
        let changes = Record<Int32>()
        let observation = try center.observe(Player.Events.onChange) { changes.append($0) }
        #expect(try center.broadcast(Document.Events.onChange, 1).calls == 0)
        #expect(try center.broadcast(Player.Events.onChange, 2).calls == 1)
        #expect(changes.all == [2])
        withExtendedLifetime(observation) {}
    }

    @Test func `services of two types of one name are different`() throws {
        try center.register(Player.Store.self) { _ in Player.Store() }
        try center.register(Document.Store.self) { _ in Document.Store() }
        #expect(try center.service(Player.Store.self).name == "PealTests.Player.Store")
        #expect(try center.get(Document.Store.self).instance !== center.get(Player.Store.self).instance)
    }

    @Test func `the name of a protocol or service has the module and the enclosing types`() {
        #expect(Track.Events.name == "PealTests::Track::Events")
    }

    @Test func `an error names the protocol that has the type's bare name`() throws {
        enum Shelf: PealProtocol {
            static let onOpen = Method<Void>("on_open")
            static let methods: [any MethodDeclaration] = [onOpen]
        }
        try center.defineInC("Shelf", ["optional void on_open(void)"])
        let failure = pealError { try center.broadcast(Shelf.onOpen) }
        #expect(failure?.status == .conflict)
        #expect(failure?.message.contains("declare 'static let name = \"Shelf\"'") == true)
    }
}
