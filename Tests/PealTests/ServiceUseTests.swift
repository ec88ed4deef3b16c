import CPeal
import Peal
import Synchronization
import Testing

/// Uses that are values, and repeated gets of services by type and name.
@Suite struct ServiceUseTests {
    let center: Center
    let population = Population()

    init() throws { center = try Center() }

    private func register(_ name: String? = nil, says text: String) throws -> ServiceProvider<Counted> {
        try center.register(Counted.self, named: name) { [population] _ in Counted(population, text) }
    }

    @Test
    func `S5: a use that is a value keeps the instance until it ends, also when the service is removed meanwhile`()
        throws
    {
        let service = try register(says: "first")
        do {
            let use = try service.use()
            let other = try center.use(Counted.self)
            #expect(use.instance === other.instance)
            #expect(try service.removeInstance() == .pending)
            #expect(use.instance.name == "first")
            #expect(population.alive == 1)
            #expect(try service.use().instance !== use.instance)
            #expect(population.alive == 2)
        }
        #expect(population.alive == 1)
    }

    @Test
    func
        `S1: a get by type or name returns the instance of the service that is registered now, and fails when there is none`()
        throws
    {
        for name in [nil, "account", "an account with a longer name"] {
            let first = try register(name, says: "first")
            #expect(try center.with(Counted.self, named: name) { $0.name } == "first")
            #expect(try center.use(Counted.self, named: name).instance.name == "first")
            #expect(try first.remove() == .complete)
            #expect(pealError { try center.with(Counted.self, named: name) { $0.name } }?.status == .notFound)
            let second = try register(name, says: "second")
            #expect(try center.get(Counted.self, named: name).instance.name == "second")
            #expect(try center.with(Counted.self, named: name) { $0.name } == "second")
            #expect(try second.remove() == .complete)
            let third = try register(name, says: "third")
            #expect(try center.use(Counted.self, named: name).instance.name == "third")
            #expect(try third.remove() == .complete)
        }
        #expect(population.alive == 0)
    }

    fileprivate struct Pair<First, Second>: Sendable {
        let number: Int
    }

    private static let types: [Any.Type] = [
        Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self,
        UInt64.self,
        Float.self, Double.self, Bool.self, String.self, Substring.self, Character.self, Duration.self, Never.self,
    ]

    /// Calls a closure with each of more than three hundred types and its number.
    private func withPairs(_ body: (any PairOfTypes.Type, Int) throws -> Void) throws {
        for first in Self.types.indices {
            for second in Self.types.indices {
                func open<First>(_ type: First.Type) -> any PairOfTypes.Type {
                    func open<Second>(_ type: Second.Type) -> any PairOfTypes.Type { Pair<First, Second>.self }
                    return _openExistential(Self.types[second], do: open)
                }
                try body(_openExistential(Self.types[first], do: open), first * Self.types.count + second)
            }
        }
    }

    @Test func `S1: each of any number of types leads to its own service`() throws {
        var count = 0
        try withPairs { type, number in
            count += 1
            try type.register(number, in: center)
        }
        #expect(count > 300)
        for _ in 0..<2 {
            try withPairs { type, number in
                let found = try type.number(in: center)
                #expect(found == number)
            }
        }
    }

    @Test
    func
        `S1: threads that get a service by its type while it is replaced get one of the instances, or an error that there is none`()
        throws
    {
        let done = Atomic(false)
        onThreads(3) { [center, population] index in
            if index == 0 {
                for round in 0..<200 {
                    let service = try? center.register(Counted.self) { _ in Counted(population, "\(round)") }
                    _ = try? service?.remove()
                }
                return done.store(true, ordering: .sequentiallyConsistent)
            }
            while !done.load(ordering: .sequentiallyConsistent) {
                let error = pealError { try center.with(Counted.self) { #expect(!$0.name.isEmpty) } }
                if let error { #expect([.notFound, .handle, .state].contains(error.status), "\(error)") }
            }
        }
        #expect(population.alive == 0)
    }

    @Test
    func
        `the closure of a scope that throws is called once, whatever it throws, and a wrong type is an error each time`()
        throws
    {
        _ = try register(says: "first")
        for _ in 0..<2 {
            var calls = 0
            let error = pealError {
                try center.with(Counted.self) { _ in
                    calls += 1
                    throw PealError(status: .handle, message: "mine")
                }
            }
            #expect(calls == 1)
            #expect(error?.message == "mine")
            #expect(pealError { try center.use(Account.self, named: "PealTests.Counted").instance }?.status == .type)
            #expect(pealError { try center.use(Account.self, named: "peal.services").instance }?.status == .type)
        }
    }

    @Test func `getting a service of a center that has ended fails with its status, also when it was got before`()
        throws
    {
        var handle = peal_center()
        try #require(peal_center_create(&handle) == PEAL_OK)
        let center = Center(borrowing: handle)
        try center.register(Counted.self) { [population] _ in Counted(population) }
        #expect(try center.with(Counted.self) { $0.name } == "")
        #expect(peal_center_destroy(handle) == PEAL_OK)
        #expect(pealError { try center.with(Counted.self) { $0.name } }?.status == .handle)
        #expect(pealError { try center.use(Counted.self).instance }?.status == .handle)
    }
}

/// Gives access to the two types of a pair.
private protocol PairOfTypes {
    static func register(_ number: Int, in center: Center) throws
    static func number(in center: Center) throws -> Int
}

extension ServiceUseTests.Pair: PairOfTypes {
    static func register(_ number: Int, in center: Center) throws {
        try center.register(Self.self) { _ in Self(number: number) }
    }

    static func number(in center: Center) throws -> Int { try center.with(Self.self) { $0.number } }
}
