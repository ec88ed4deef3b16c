import CPeal
import Synchronization
import Testing

@testable import Peal

@Suite struct MethodCacheTests {
    /// A cache whose entry has one number for all its members.
    private final class Numbered: Sendable {
        let cache = MethodCache()
        let location = MethodCache.Location(serial: 0)
        let mixed = Atomic(0)

        func keep(_ number: UInt32) {
            let found = ResolvedMethod(
                method: peal_method(id: UInt64(number)), protocol: peal_protocol(id: UInt64(number)),
                policy: peal_policy(rawValue: number))
            cache.keep(found, at: location)
        }

        /// Counts an entry whose members are of two.
        func read() {
            guard let found = cache.find(location) else { return }
            let isOne = found.method.id == found.protocol.id && found.method.id == UInt64(found.policy.rawValue)
            if !isOne { mixed.add(1, ordering: .relaxed) }
        }
    }

    @Test func `B2: a method that several threads look up at once has the policy of its own definition`() {
        let numbered = Numbered()
        onThreads(3) { thread in
            for round in 0..<UInt32(100_000) {
                // Few numbers, so that each is stored again.
                if thread < 2 { numbered.keep(2 * (round % 4) + UInt32(thread) + 1) }
                numbered.read()
            }
        }
        numbered.read()
        #expect(numbered.mixed.load(ordering: .relaxed) == 0)
        #expect(numbered.cache.find(numbered.location) != nil)
    }
}
