import CPeal
import Dispatch
import Peal
import Synchronization
import Testing

@Suite struct BroadcastTests {
    @Test func `a closure is called for a broadcast with its arguments`() throws {
        let center = try Center()
        let heard = Mutex<[String]>([])
        let observation = try center.observe(Chat.onMessage) { room, count in
            heard.withLock { $0.append("\(room) \(count)") }
        }
        try center.broadcast(Chat.onMessage, "lobby", 3)
        #expect(heard.withLock(\.self) == ["lobby 3"])
        #expect(observation.isActive)
    }

    @Test func `the result of a broadcast follows the method's policy`() throws {
        let center = try Center()
        let first = try center.observe(Chat.votes) { room in Int32(room.utf8.count) }
        let second = try center.observe(Chat.votes) { _ in 10 }
        #expect(try center.ask(Chat.votes, "hall") == 14)
        #expect(try center.collect(Chat.votes, "hall") == [4, 10])
        _ = (first, second)
    }

    @Test func `B11: an observer of a sticky method gets the last call when it is registered`() throws {
        let center = try Center()
        let heard = Mutex<[String]>([])
        try center.broadcast(Recent.onTown, "Ulm", 1)
        try center.broadcast(Recent.onTown, "Bonn", 2)
        try center.broadcast(Recent.onTown, "Ulm", 3)
        try center.broadcast(Recent.onCount, 4)
        let first = try center.observe(Recent.onTown) { town, count in heard.withLock { $0.append("\(town) \(count)") }
        }
        let second = try center.observe(Recent.onCount) { count in heard.withLock { $0.append("\(count)") } }
        #expect(heard.withLock(\.self) == ["Bonn 2", "Ulm 3", "4"])
        withExtendedLifetime((first, second)) {}
    }

    @Test func `B5: broadcasts nest up to a limit of depth, and a method may reject recursion`() throws {
        let center = try Center()
        let errors = Record<Status>()
        let calls = Record<Int>()
        let observation = try center.observe(Chat.onClose) {
            calls.append(1)
            do throws(PealError) { try center.broadcast(Chat.onClose) } catch { errors.append(error.status) }
        }
        try center.broadcast(Chat.onClose)
        #expect(calls.all.count == Int(PEAL_DEPTH_LIMIT))
        #expect(errors.all == [.depth])
        withExtendedLifetime(observation) {}
    }

    @Test func `B5: a deferred broadcast runs after the outer one, with a copy of its arguments`() throws {
        let center = try Center()
        let heard = Record<String>()
        let observation = try center.observe(Nesting.later) { text in
            heard.append("begin \(text)")
            if text == "outer" {
                let delivery = try? center.broadcast(Nesting.later, "inner")
                #expect(delivery?.status == .deferred && delivery?.calls == 0)
            }
            heard.append("end \(text)")
        }
        try center.broadcast(Nesting.later, "outer")
        let never = try center.observe(Nesting.never) {
            let error = #expect(throws: PealError.self) { try center.broadcast(Nesting.never) }
            #expect(error?.status == .recursion)
            heard.append("never")
        }
        try center.broadcast(Nesting.never)
        #expect(heard.all == ["begin outer", "end outer", "begin inner", "end inner", "never"])
        withExtendedLifetime((observation, never)) {}
    }

    @Test func `B6: many threads may broadcast and observe at the same time`() throws {
        let center = try Center()
        let population = Population()
        let sum = Atomic<Int>(0)
        let fixed = try center.observe(Chat.onNumber) { sum.add(Int($0), ordering: .relaxed) }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<200 {
                let life = Counted(population)
                let own = try? center.observe(Chat.onNumber) { _ in withExtendedLifetime(life) {} }
                if (try? center.broadcast(Chat.onNumber, 1)) == nil {
                    Issue.record("a broadcast failed in round \(round)")
                }
                own?.cancel()
            }
        }
        #expect(sum.load(ordering: .relaxed) == 800)
        #expect(try center.method(Chat.onNumber).observerCount() == 1)
        #expect(population.alive == 0)
        withExtendedLifetime(fixed) {}
    }
}

private enum Nesting: PealProtocol {
    static let later = Method<Void, String>("later", recursion: .deferred)
    static let never = Method<Void>("never", recursion: .rejected)
    static let methods: [any MethodDeclaration] = [later, never]
}

private enum Recent: PealProtocol {
    static let name = "Recent"
    static let onTown = Method<Void, String, Int32>(
        "on_town", parameters: "town", "count", sticky: .lastForEach("town"))
    static let onCount = Method<Void, Int32>("on_count", sticky: .last)
    static let methods: [any MethodDeclaration] = [onTown, onCount]
}
