import CPeal
import Peal
import Synchronization
import Testing

/// Services that are registered and used in Swift.
@Suite struct ServiceTests {
    let center: Center
    let population = Population()
    let notes = Record<String>()

    init() throws { center = try Center() }

    private func status<Result>(_ body: () throws -> Result) -> Status? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? PealError)?.status
        }
    }

    private func message<Result>(_ body: () throws -> Result) -> String {
        do {
            _ = try body()
            return "no error"
        } catch {
            return (error as? PealError)?.message ?? "another error: \(error)"
        }
    }

    @Test func `S1: a service is created at its first get, once, and every get returns the same instance`() throws {
        let service = try center.register(Counted.self) { [population] _ in Counted(population) }
        #expect(population.made == 0)
        let first = try center.get(Counted.self)
        let second = try service.get()
        #expect(first.instance === second.instance)
        try center.with(Counted.self) { #expect($0 === first.instance) }
        #expect(population.made == 1)
        #expect(service.name == "PealTests.Counted")
    }

    @Test func `S1: of many threads that get a service one creates the instance, and the others wait for it`() throws {
        let begun = Latch(), go = Latch()
        let service = try center.register(Counted.self) { [population] _ in
            begun.open()
            _ = go.wait()
            return Counted(population)
        }
        let seen = Mutex<[ObjectIdentifier]>([])
        onThreads(17) { index in
            if index == 16 {
                // The other threads get the service during the creation or after it.
                #expect(begun.wait())
                return go.open()
            }
            let identity =
                try? index % 2 == 0 ? ObjectIdentifier(service.get().instance) : service.with { ObjectIdentifier($0) }
            seen.withLock { $0.append(contentsOf: identity.map { [$0] } ?? []) }
        }
        #expect(seen.withLock { $0.count } == 16)
        #expect(Set(seen.withLock { $0 }).count == 1)
        #expect(population.made == 1)
        #expect(try service.info().creations == 1)
    }

    @Test func `a service is found by its type, a name, or an existential type`() throws {
        try center.register(Counted.self, named: "one") { [population] _ in Counted(population, "one") }
        try center.register(Counted.self, named: "two") { [population] _ in Counted(population, "two") }
        try center.register((any Greeter).self) { _ in Polite() }
        #expect(try center.get(Counted.self, named: "two").instance.name == "two")
        #expect(try center.with((any Greeter).self) { $0.greeting } == "good day")
        #expect(try center.service((any Greeter).self).name == "PealTests.Greeter")
        #expect(status { try center.get(Counted.self) } == .notFound)
        #expect(
            status { try center.register(Counted.self, named: "one") { [population] _ in Counted(population) } }
                == .conflict)
        #expect(population.made == 1)
    }

    @Test func `a service got as another type than it was registered with is an error that names both`() throws {
        try center.register(Polite.self, named: "greeter") { _ in Polite() }
        for body in [
            { _ = try center.get(Counted.self, named: "greeter") },
            { _ = try center.with(Counted.self, named: "greeter") { _ in Issue.record("called") } },
        ] as [() throws -> Void] {
            #expect(status(body) == .type)
            #expect(
                message(body)
                    == "service 'greeter' is PealTests.Polite, and no PealTests.Counted: get it as the type with which it was registered"
            )
        }
        // A protocol that the type conforms to is another type as well.
        #expect(status { try center.get((any Greeter).self, named: "greeter") } == .type)
        #expect(try center.anyService(named: "greeter").info().uses == 0)
    }

    @Test(arguments: [false, true])
    func `a service that was not made in Swift is not read as a Swift object`(isSwiftHere: Bool) throws {
        if isSwiftHere { try center.register(Counted.self) { [population] _ in Counted(population) } }
        for body in [
            { _ = try center.get(Counted.self, named: "peal.services") },
            { _ = try center.with(Counted.self, named: "peal.services") { _ in Issue.record("called") } },
        ] as [() throws -> Void] {
            #expect(status(body) == .type)
            #expect(
                message(body).hasPrefix("service 'peal.services' was not made in Swift, so it is no PealTests.Counted"))
        }
    }

    @Test func `S2: a creation gets other services, which live as long as its instance`() throws {
        let database = try center.register(
            Counted.self, named: "database", end: { [notes] _ in notes.append("database ends") }
        ) {
            [population] _ in Counted(population)
        }
        let account = try center.register(Account.self, end: { [notes] _ in notes.append("account ends") }) {
            creation in
            #expect(creation.serviceName == "PealTests.Account")
            return Account(database: try creation.get(Counted.self, named: "database"))
        }
        _ = try account.get()
        #expect(try database.info().uses == 1)
        #expect(try database.info().createdBy == "service PealTests.Account")
        #expect(try database.removeInstance() == .pending)
        #expect(notes.all == [])
        #expect(try account.removeInstance() == .complete)
        #expect(notes.all == ["account ends", "database ends"])
        #expect(population.alive == 0)
    }

    @Test func `S2: the dependencies of a service are created before it, and a missing one is named`() throws {
        try center.register(Account.self, dependencies: [.type(Counted.self)]) { [notes] _ in
            notes.append("account")
            return Account(database: nil)
        }
        #expect(status { try center.get(Account.self) } == .notFound)
        #expect(status { try center.with(Account.self) { _ in } } == .notFound)
        #expect(message { try center.get(Account.self) }.contains("Counted"))
        try center.register(Counted.self) { [notes, population] _ in
            notes.append("counted")
            return Counted(population)
        }
        _ = try center.get(Account.self)
        #expect(notes.all == ["counted", "account"])
    }

    @Test
    func
        `S2: an initialization that gets its own service gets the instance, and other threads wait until it has returned`()
        throws
    {
        let inside = Latch(), go = Latch()
        let service = try center.register(
            Counted.self,
            initialize: { [notes] instance, creation in
                let isOwn = try creation.center.with(Counted.self) { $0 === instance }
                #expect(isOwn)
                inside.open()
                _ = go.wait()
                notes.append("initialized")
            },
            create: { [population] _ in Counted(population) })
        onThreads(3) { [notes] index in
            switch index {
            case 0: _ = try? service.get()
            case 1:
                #expect(inside.wait())
                #expect((try? service.info().state) == .initializing)
                go.open()
            default:
                // This thread waits here until the initialization has ended.
                if (try? service.get()) != nil { notes.append("got") }
            }
        }
        #expect(notes.all == ["initialized", "got"])
        #expect(try service.info().state == .ready)
    }

    @Test func `S2: a circular dependency of services is an error with the path`() throws {
        try center.register(Account.self, named: "egg") { creation in
            _ = try creation.get(Account.self, named: "hen")
            return Account(database: nil)
        }
        try center.register(Account.self, named: "hen") { creation in
            _ = try creation.get(Account.self, named: "egg")
            return Account(database: nil)
        }
        #expect(message { try center.get(Account.self, named: "egg") }.contains("egg -> hen -> egg"))
        try center.register(Account.self, named: "a", dependencies: ["b"]) { _ in Account(database: nil) }
        try center.register(Account.self, named: "b", dependencies: ["a"]) { _ in Account(database: nil) }
        #expect(status { try center.get(Account.self, named: "a") } == .cycle)
    }
}

protocol Greeter: Sendable {
    var greeting: String { get }
}

struct Polite: Greeter {
    let greeting = "good day"
}

final class Account: Sendable {
    let database: Counted?

    init(database: Counted?) { self.database = database }
}
