import CPeal
import Peal
import Testing

/// Owners, and the registrations that belong to them.
@Suite struct OwnerTests {
    let center: Center
    let population = Population()
    let notes = Record<String>()

    init() throws { center = try Center() }

    struct Other: Error {}

    private func register(_ name: String, owner: Owner? = nil) throws -> ServiceProvider<Counted> {
        try center.register(
            Counted.self, named: name, owner: owner, end: { [notes] in notes.append("\($0.name) ends") }
        ) {
            [population] _ in Counted(population, name)
        }
    }

    @Test func `O12, L1: registrations inside an owner's closure belong to the owner, and end with it`() throws {
        let owner = try Owner("plugin")
        #expect(owner.name == "plugin")
        let inside = try owner.perform { try register("inside") }
        let named = try register("named", owner: owner)
        let outside = try register("outside")
        for service in [inside, named, outside] { _ = try service.get() }
        let later = try register("later")
        let observation = try owner.perform { () throws(PealError) in try center.observeServices { _ in } }
        try center.add(Part("part", notes, population), owner: owner)
        try center.startModulesBlocking()
        let heard = try center.observe(Chat.onClose, .belonging(to: owner)) {}
        #expect(heard.isActive)
        #expect(try owner.observationCount >= 2)
        #expect(population.alive == 4)
        #expect(try owner.retireBlocking(timeout: .seconds(20)) == .complete)
        #expect(notes.all.suffix(3).contains("part stops") && notes.all.contains("inside ends"))
        #expect(population.alive == 1)
        #expect(!observation.isActive && !heard.isActive)
        // The first service was the owner's. The services of others do not depend on it.
        #expect(try outside.get().instance.name == "outside" && later.get().instance.name == "later")
        #expect(inside.name == nil && named.name == nil && outside.name == "outside")
        #expect(owner.name == nil)
        #expect(pealError { try owner.retireBlocking() }?.status == .handle)
        #expect(pealError { try owner.perform { Issue.record("called") } }?.status == .handle)
        #expect(pealError { try register("late", owner: owner) }?.status == .handle)
        #expect(pealError { try owner.observationCount }?.status == .handle)
    }

    @Test func `O12: an owner's closures nest, end when they throw, and their errors are rethrown`() throws {
        let outer = try Owner("outer"), inner = try Owner("inner")
        try outer.perform {
            #expect(peal_owner_get_current().id == outer.handle.id)
            try inner.perform { #expect(peal_owner_get_current().id == inner.handle.id) }
            #expect(peal_owner_get_current().id == outer.handle.id)
            #expect(throws: Other.self) { try inner.perform { throw Other() } }
            #expect(peal_owner_get_current().id == outer.handle.id)
        }
        #expect(peal_owner_get_current().id == 0)
        func nest(_ depth: Int) throws {
            if depth > 0 { try outer.perform { try nest(depth - 1) } }
        }
        try nest(16)
        #expect(pealError { try nest(17) }?.status == .limit)
        #expect(peal_owner_get_current().id == 0)
    }

    @Test func `L1: retiring an owner waits for a use of another thread, up to its time limit`() throws {
        let owner = try Owner("plugin")
        let service = try register("service", owner: owner)
        var use: ServiceUse<Counted>? = try service.get()
        #expect(try owner.retireBlocking(timeout: .milliseconds(1)) == .pending)
        #expect(population.alive == 1)
        use = nil
        #expect(population.alive == 0)
        _ = use
    }

    @Test func `L2: an owner that is retired in its own call is not waited for`() throws {
        let owner = try Owner("plugin")
        let endings = Record<Ending>()
        let service = try center.register(
            Counted.self, owner: owner,
            clearData: { _ in
                if let ending = try? owner.retireBlocking() { endings.append(ending) }
            }, create: { [population] _ in Counted(population) })
        _ = try service.get()
        try service.clearData()
        #expect(endings.all == [.pending])
        #expect(population.alive == 0)
    }

    @Test func `an owner is retired when its last reference ends`() throws {
        var owner: Owner? = try Owner("short")
        let service = try register("service", owner: owner)
        owner = nil
        #expect(service.name == nil)
    }

    @Test func `F1: the names of owners have up to 255 bytes, without a zero byte`() throws {
        let long = String(repeating: "x", count: 255)
        #expect(try Owner(long).name == long)
        #expect(pealError { try Owner(long + "x") }?.status == .argument)
        #expect(pealError { try Owner("a\0b") }?.status == .argument)
    }
}
