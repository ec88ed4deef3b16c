import CPeal
import Peal
import Testing

/// Failures, ends and uses of instances.
@Suite struct ServiceEndingTests {
    let center: Center
    let population = Population()
    let notes = Record<String>()

    init() throws { center = try Center() }

    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    @Test
    func
        `S6: a creation of a service that throws is reported with its error, has no lasting effect, and is tried again`()
        throws
    {
        let attempts = Population()
        try center.register(Counted.self, named: "database") { [population] _ in Counted(population) }
        let service = try center.register(Counted.self) { [population] creation in
            attempts.began()
            _ = try creation.get(Counted.self, named: "database")
            let half = Counted(population)
            if attempts.made < 3 { throw Broken(description: "the disk is full at \(attempts.made)") }
            return half
        }
        let first = pealError { try service.get() }
        #expect(first?.status == .creation)
        #expect(first?.message.contains("the disk is full at 1") == true)
        #expect(pealError { try service.with { _ in } }?.message.contains("the disk is full at 2") == true)
        #expect(try center.anyService(named: "database").info().uses == 0)
        #expect(population.alive == 1)
        _ = try service.get()
        let info = try service.info()
        #expect(info.failures == 2 && info.creations == 1)
        #expect(info.lastFailure?.contains("the disk is full at 2") == true)
    }

    @Test func `S6: a long error of a creation is cut between two characters`() throws {
        let service = try center.register(Counted.self) { _ in
            throw Broken(description: String(repeating: "ö", count: 300))
        }
        let message = try #require(pealError { try service.get() }?.message)
        #expect(message.contains("ööö") && !message.contains("\u{FFFD}"))
    }

    @Test func `S6: when the initialization of a service throws, the created instance is destroyed`() throws {
        let service = try center.register(
            Counted.self, initialize: { _, _ in throw Broken(description: "no network") },
            end: { [notes] _ in notes.append("end") }, create: { [population] _ in Counted(population) })
        #expect(pealError { try service.get() }?.message.contains("no network") == true)
        #expect(notes.all == ["end"])
        #expect(population.made == 1 && population.alive == 0)
    }

    @Test func `S5: an instance that is removed lives until its last use ends, and the next get creates another`()
        throws
    {
        let service = try register("end")
        var use: ServiceUse<Counted>? = try service.get()
        #expect(try service.removeInstance() == .pending)
        #expect(notes.all == [] && population.alive == 1)
        let other = try service.get()
        #expect(other.instance !== use?.instance)
        use = nil
        #expect(notes.all == ["end"] && population.alive == 1)
        #expect(try service.remove() == .pending)
        withExtendedLifetime(other) {}
    }

    @Test func `S5: an instance that is removed during a scope lives until the scope ends, on any thread`() throws {
        let service = try register("end")
        let inside = Latch(), removed = Latch()
        onThreads(2) { [notes, population] index in
            if index == 0 {
                try? service.with { _ in
                    inside.open()
                    _ = removed.wait()
                    #expect(notes.all == [] && population.alive == 1)
                }
            } else {
                #expect(inside.wait())
                #expect((try? service.removeInstance()) == .pending)
                removed.open()
            }
        }
        #expect(notes.all == ["end"] && population.alive == 0)
    }

    @Test func `S5: scopes of services nest, and the error of a scope's closure is rethrown`() throws {
        let outer = try register("outer end", named: "outer"), inner = try register("inner end", named: "inner")
        #expect(try outer.with { try inner.with { $0.name } + $0.name } == "innerouter")
        #expect(throws: Broken.self) { try outer.with { _ in throw Broken(description: "") } }
        #expect(try outer.removeInstance() == .complete)
        #expect(notes.all == ["outer end"])
    }

    @Test
    func
        `S4: the end of a session clears all instances, then removes those that do not persist, in reverse order of creation`()
        throws
    {
        for name in ["a", "b", "c"] {
            try center.register(
                Counted.self, named: name, isPersistent: name == "b",
                clearData: { [notes] _ in notes.append("clear \(name)") },
                end: { [notes] _ in notes.append("end \(name)") }, create: { [population] _ in Counted(population) })
            _ = try center.get(Counted.self, named: name)
        }
        let end = try center.endSession()
        #expect(end.removed == 2 && end.ending == .complete)
        #expect(notes.all == ["clear c", "clear b", "clear a", "end c", "end a"])
        #expect(population.alive == 1)
        #expect(try center.anyService(named: "b").info().isPersistent)
    }

    @Test func `S4: clearData calls the instance, which stays, and does nothing without an instance`() throws {
        let service = try register("end")
        try service.clearData()
        #expect(notes.all == [] && population.made == 0)
        _ = try service.get()
        try service.clearData()
        #expect(notes.all == ["clear"] && population.alive == 1)
    }

    @Test func `S4: within a creation no instance is removed or cleared, and no session ended`() throws {
        let other = try register("end")
        _ = try other.get()
        let service = try center.register(Counted.self, named: "maker") { [population] creation in
            let center = creation.center
            for body in [{ try other.removeInstance() }, { try other.clearData() }, { try center.endSession() }]
                as [() throws -> Any]
            {
                #expect(throws: PealError.self) { try body() }
            }
            return Counted(population)
        }
        _ = try service.get()
        #expect(notes.all == [])
    }

    @Test func `the end of a center, and of registrations, frees instances and closures`() throws {
        let closures = Population()
        do {
            let center = try Center()
            for name in ["a", "b"] {
                let captured = Counted(closures)
                try center.register(Counted.self, named: name) { [population] _ in
                    Counted(population, captured.name)
                }
            }
            #expect(closures.alive == 2)
            // A registration that fails releases its closures too.
            let captured = Counted(closures)
            #expect(throws: PealError.self) {
                try center.register(Counted.self, named: "a") { [population] _ in Counted(population, captured.name) }
            }
            _ = try center.get(Counted.self, named: "a")
            #expect(population.alive == 1)
            #expect(try center.service(Counted.self, named: "b").remove() == .complete)
        }
        #expect(population.alive == 0)
        #expect(closures.alive == 0)
    }

    @Test func `S5: a use of a service outlives the center`() throws {
        var other: Center? = try Center()
        try other?.register(Counted.self) { [population] _ in Counted(population) }
        var use: ServiceUse<Counted>? = try other?.get(Counted.self)
        other = nil
        #expect(population.alive == 1)
        use = nil
        #expect(population.alive == 0)
        _ = use
    }

    @Test func `F1: services refuse invalid names and stale handles`() throws {
        for name in ["", "a\0b", "peal.mine", String(repeating: "x", count: 256)] {
            let error = pealError {
                try center.register(Counted.self, named: name) { [population] _ in Counted(population) }
            }
            #expect(error?.status == .argument, "\(name)")
            #expect(error?.message.isEmpty == false)
        }
        #expect(
            pealError { try center.get(Counted.self, named: "a\0b") }?.message
                == "the service's name 'a\\0b' has a zero byte in it; remove that byte")
        #expect(
            pealError {
                try center.register(Counted.self, dependencies: ["\0"]) { [population] _ in Counted(population) }
            } != nil)
        let service = try register("end")
        #expect(try service.remove() == .complete)
        for body in [
            { try service.get() }, { try service.with { _ in } }, { try service.info() },
            { try service.removeInstance() },
            { try service.clearData() }, { try service.remove() },
        ] as [() throws -> Any] {
            #expect(pealError(of: body)?.status == .handle)
        }
        #expect(service.name == nil)
        #expect(pealError { try center.anyService(named: "peal.services").remove() }?.status == .state)
    }

    private func register(_ end: String, named name: String = "counted") throws -> ServiceProvider<Counted> {
        try center.register(
            Counted.self, named: name, clearData: { [notes] _ in notes.append("clear") },
            end: { [notes] _ in notes.append(end) }, create: { [population] _ in Counted(population, name) })
    }

    @Test
    func `S2: a get that would make services depend on each other in a cycle is refused, and no instance stays alive`()
        throws
    {
        let statuses = Record<Status>()
        try center.register(
            Counted.self, named: "narcissus",
            initialize: { _, creation in
                do throws(PealError) {
                    _ = try creation.get(Counted.self, named: "narcissus")
                } catch {
                    statuses.append(error.status)
                    #expect(error.message.hasPrefix("circular dependency of services: narcissus -> narcissus;"))
                }
            }, create: { [population] _ in Counted(population) })
        try center.register(
            Counted.self, named: "chicken",
            initialize: { _, creation in _ = try creation.get(Counted.self, named: "egg") },
            create: { [population] _ in Counted(population) })
        try center.register(
            Counted.self, named: "egg",
            initialize: { _, creation in
                do throws(PealError) {
                    _ = try creation.get(Counted.self, named: "chicken")
                } catch {
                    statuses.append(error.status)
                    #expect(error.message.hasPrefix("circular dependency of services: egg -> chicken -> egg;"))
                }
            }, create: { [population] _ in Counted(population) })
        _ = try center.get(Counted.self, named: "narcissus")
        _ = try center.get(Counted.self, named: "egg")
        _ = try center.get(Counted.self, named: "chicken")
        #expect(statuses.all.allSatisfy { $0 == .cycle } && statuses.all.count == 2)
        #expect(try center.endSession().ending == .complete)
        #expect(population.alive == 0)
    }
}
