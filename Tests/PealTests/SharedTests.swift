import Peal
import Testing

private let shared = try! Center()

@MainActor
private final class Player {
    @Shared("volume", in: shared) var volume: Int32 = 5
    @Shared("title", in: shared) var title = "none"
}

/// A Sendable class, which stores the property of a shared variable.
private final class Remote: Sendable {
    let volume = SharedProperty(wrappedValue: Int32(5), "volume", in: shared)
}

@MainActor
@Suite(.serialized) struct SharedTests {
    @Test func `a shared variable is a property of the center`() throws {
        let player = Player()
        player.title = "Bolero"
        #expect(try Property<String>(existing: "title", in: shared).value == "Bolero")
        try Property<String>(existing: "title", in: shared).set("La Valse")
        #expect(player.title == "La Valse")
        #expect(Player().title == "La Valse")
        #expect(player.$title.failure == nil)
    }

    @Test func `the observers of a shared variable are notified`() throws {
        let player = Player()
        let told = Record<String>()
        let observation = try player.$volume.observe { told.append("\($0)-\($1)") }
        player.volume = 6
        player.volume += 1
        #expect(told.all == ["5-6", "6-7"])
        observation.cancel()
        let remote = Remote()
        remote.volume.wrappedValue = 5
        #expect(player.volume == 5)
    }

    @Test func `a variable that cannot be shared is an ordinary variable, and reports the reason`() throws {
        let center = try Center()
        _ = try Property("volume", initially: "loud", in: center)
        @Shared("volume", in: center) var volume: Int32 = 5
        #expect(volume == 5)
        volume = 6
        #expect(volume == 6)
        #expect($volume.failure?.status == .conflict)
        #expect(throws: PealError.self) { try $volume.observe { _, _ in } }
    }

    @Test func `a removed property is defined again by the next set`() throws {
        let center = try Center()
        @Shared("volume", in: center) var volume: Int32 = 5
        volume = 6
        try $volume.property().remove()
        #expect(volume == 6)
        #expect(throws: PealError.self) { try Property<Int32>(existing: "volume", in: center) }
        volume = 7
        #expect(try Property<Int32>(existing: "volume", in: center).value == 7)
    }

    @Test func `a value that cannot be shared is stored and reported`() throws {
        let center = try Center()
        @Shared("title", in: center) var title = "a"
        title = "a\0b"
        #expect(title == "a\0b")
        #expect($title.failure?.status == .argument)
    }

    @Test func `a refused value does not end the sharing`() throws {
        let center = try Center()
        @Shared("title", in: center) var title = "a"
        let told = Record<String>()
        let observation = try $title.observe { told.append("\($0)-\($1)") }
        title = "a\0b"
        title = "b"
        #expect($title.failure == nil)
        #expect(try Property<String>(existing: "title", in: center).value == "b")
        #expect(told.all == ["a-b"])
        try Property<String>(existing: "title", in: center).set("c")
        #expect(title == "c")
        title = "a\0b"
        #expect(try $title.property().value == "c")
        observation.cancel()
    }
}
