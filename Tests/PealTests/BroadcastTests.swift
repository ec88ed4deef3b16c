import Peal
import Synchronization
import Testing

@Suite struct BroadcastTests {
    @Test func aClosureHearsABroadcastWithItsArguments() throws {
        let center = try Center()
        let heard = Mutex<[String]>([])
        let observation = try center.observe(Chat.onMessage) { room, count in
            heard.withLock { $0.append("\(room) \(count)") }
        }
        try center.broadcast(Chat.onMessage, "lobby", 3)
        #expect(heard.withLock(\.self) == ["lobby 3"])
        #expect(observation.isActive)
    }

    @Test func theResultFollowsThePolicy() throws {
        let center = try Center()
        let first = try center.observe(Chat.votes) { room in Int32(room.utf8.count) }
        let second = try center.observe(Chat.votes) { _ in 10 }
        #expect(try center.ask(Chat.votes, "hall") == 14)
        #expect(try center.collect(Chat.votes, "hall") == [4, 10])
        _ = (first, second)
    }
}
