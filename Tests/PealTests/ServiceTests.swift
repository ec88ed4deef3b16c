import CPeal
import Peal
import Synchronization
import Testing

/// Services that are made in Swift, as Swift sees them.
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

    @Test("S1: a service is made at its first get, once, and every get has the same instance")
    func madeOnce() throws {
        let service = try center.register(Counted.self) { [population] _ in Counted(population) }
        #expect(population.made == 0)
        let first = try center.get(Counted.self)
        let second = try service.get()
        #expect(first.instance === second.instance)
        try center.with(Counted.self) { #expect($0 === first.instance) }
        #expect(population.made == 1)
        #expect(service.name == "PealTests.Counted")
    }

    @Test("S1: of many threads one makes the instance, and the others wait for it")
    func madeOnceByManyThreads() throws {
        let begun = Latch(), go = Latch()
        let service = try center.register(Counted.self) { [population] _ in
            begun.open()
            _ = go.wait()
            return Counted(population)
        }
        let seen = Mutex<[ObjectIdentifier]>([])
        onThreads(17) { index in
            if index == 16 {
                // All of the others come while the first one makes it, or after.
                #expect(begun.wait())
                return go.open()
            }
            let identity = try? index % 2 == 0 ? ObjectIdentifier(service.get().instance) : service.with { ObjectIdentifier($0) }
            seen.withLock { $0.append(contentsOf: identity.map { [$0] } ?? []) }
        }
        #expect(seen.withLock { $0.count } == 16)
        #expect(Set(seen.withLock { $0 }).count == 1)
        #expect(population.made == 1)
        #expect(try service.info().creations == 1)
    }

    @Test("A service is known by its type, a name, or a protocol's any")
    func names() throws {
        try center.register(Counted.self, named: "one") { [population] _ in Counted(population, "one") }
        try center.register(Counted.self, named: "two") { [population] _ in Counted(population, "two") }
        try center.register((any Greeter).self) { _ in Polite() }
        #expect(try center.get(Counted.self, named: "two").instance.name == "two")
        #expect(try center.with((any Greeter).self) { $0.greeting } == "good day")
        #expect(try center.service((any Greeter).self).name == "PealTests.Greeter")
        #expect(status { try center.get(Counted.self) } == .notFound)
        #expect(status { try center.register(Counted.self, named: "one") { [population] _ in Counted(population) } }
            == .conflict)
        #expect(population.made == 1)
    }

    @Test("A service got as another type than it was registered with is an error that names both")
    func otherType() throws {
        try center.register(Polite.self, named: "greeter") { _ in Polite() }
        for body in [
            { _ = try center.get(Counted.self, named: "greeter") },
            { _ = try center.with(Counted.self, named: "greeter") { _ in Issue.record("called") } },
        ] as [() throws -> Void] {
            #expect(status(body) == .type)
            #expect(message(body) == "service 'greeter' is PealTests.Polite, and no PealTests.Counted: get it as the type with which it was registered")
        }
        // Nor as what it conforms to.
        #expect(status { try center.get((any Greeter).self, named: "greeter") } == .type)
        #expect(try center.anyService(named: "greeter").info().uses == 0)
    }

    @Test("A service that was not made in Swift is not read as a Swift object", arguments: [false, true])
    func notSwift(isSwiftHere: Bool) throws {
        if isSwiftHere { try center.register(Counted.self) { [population] _ in Counted(population) } }
        for body in [
            { _ = try center.get(Counted.self, named: "peal.services") },
            { _ = try center.with(Counted.self, named: "peal.services") { _ in Issue.record("called") } },
        ] as [() throws -> Void] {
            #expect(status(body) == .type)
            #expect(message(body).hasPrefix("service 'peal.services' was not made in Swift, so it is no PealTests.Counted"))
        }
    }

    @Test("S2: a creation gets others, which live as long as it does")
    func creationGetsOthers() throws {
        let database = try center.register(Counted.self, named: "database", end: { [notes] _ in notes.append("database ends") }) {
            [population] _ in Counted(population)
        }
        let account = try center.register(Account.self, end: { [notes] _ in notes.append("account ends") }) { creation in
            #expect(creation.serviceName == "PealTests.Account")
            return Account(database: try creation.get(Counted.self, named: "database"))
        }
        _ = try account.get()
        #expect(try database.info().uses == 1)
        #expect(try database.info().createdBy == "service PealTests.Account")
        #expect(try database.remove() == .pending)
        #expect(notes.all == [])
        #expect(try account.remove() == .complete)
        #expect(notes.all == ["account ends", "database ends"])
        #expect(population.alive == 0)
    }

    @Test("S2: dependencies are made before, and a missing one is named")
    func dependencies() throws {
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

    @Test("S2: initialize has the instance when it gets its own service; others wait until it is done")
    func initialize() throws {
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
                // Waits here, whenever it comes.
                if (try? service.get()) != nil { notes.append("got") }
            }
        }
        #expect(notes.all == ["initialized", "got"])
        #expect(try service.info().state == .ready)
    }

    @Test("S2: services that need each other in a circle are an error with the path")
    func cycle() throws {
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
