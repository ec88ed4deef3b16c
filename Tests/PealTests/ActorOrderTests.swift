@testable import Peal
import Testing

private enum Bell: PealProtocol {
    static let onRing = Method<Void, String, Int32>("on_ring", parameters: "door", "count")
    static let onStop = Method<Void, Int32>("on_stop", parameters: "count")
    static var methods: [any MethodDeclaration] { [onRing, onStop] }
}

@Suite struct ActorOrderTests {
    let center: Center

    init() throws { center = try Center() }

    @MainActor
    @Test func theCallsOfAnActorAreInTheOrderOfTheBroadcasts_Q1() async throws {
        let lines = Record<String>()
        let observations = [
            try center.observe(Bell.onRing, on: MainActor.shared) { _, count in lines.append("ring \(count)") },
            try center.observe(Bell.onStop, on: MainActor.shared) { count in lines.append("stop \(count)") },
        ]
        for count in Int32(0)..<3 {
            try center.broadcast(Bell.onRing, "front", count)
            try center.broadcast(Bell.onStop, count)
        }
        while lines.all.count < 6 { await Task.yield() }
        #expect(lines.all == ["ring 0", "stop 0", "ring 1", "stop 1", "ring 2", "stop 2"])
        withExtendedLifetime(observations) {}
    }

    @Test(.timeLimit(.minutes(1))) func aQueueOfAnActorEndsWithItsObservers() async throws {
        actor Log {}
        let log = Log()
        weak var queue: Queue?
        do {
            let observation = try center.observe(Bell.onStop, on: log) { (_: isolated Log, _) in }
            let shared = try ActorQueues.queue(of: log)
            #expect(try ActorQueues.queue(of: log) === shared)
            queue = shared
            observation.cancel()
        }
        while queue != nil { await Task.yield() }
        try #expect(ActorQueues.queue(of: log) !== ActorQueues.queue(of: MainActor.shared))
    }
}
