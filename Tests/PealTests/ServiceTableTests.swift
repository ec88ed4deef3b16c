import CPeal
import Peal
import Testing

/// Services that Swift and C share, by tables of C functions and by pointers.
@Suite struct ServiceTableTests {
    let center: Center
    let population = Population()

    init() throws { center = try Center() }

    private func agent(_ name: String) throws -> ServiceProvider<Counted> {
        var table = peal_lazy_agent()
        table.count_pending = { pointer in swiftInstance(of: Counted.self, at: pointer)?.name.utf8.count ?? 999 }
        return try center.register(Counted.self, named: name, provides: [Provision("PealLazyAgent", table)]) {
            [population] _ in Counted(population, name)
        }
    }

    @Test func `S3: a service of Swift is called by C through its table, and its functions find the object`() throws {
        let service = try agent("four")
        do {
            let use = try service.use(of: "PealLazyAgent", as: peal_lazy_agent.self)
            #expect(use.table.count_pending(use.pointer) == 4)
            #expect(try service.info().uses == 1)
            let same = try service.get()
            #expect(swiftInstance(of: Counted.self, at: use.pointer) === same.instance)
        }
        #expect(try service.info().uses == 0)
        #expect(population.made == 1)
    }

    @Test
    func
        `the object of a service's pointer is returned as its type and the protocols that it conforms to, and as no other type`()
        throws
    {
        try center.register(Polite.self) { _ in Polite() }
        let use = try center.anyService(named: "PealTests.Polite").usePointer()
        #expect(swiftInstance(of: Polite.self, at: use.pointer)?.greeting == "good day")
        #expect(swiftInstance(of: (any Greeter).self, at: use.pointer)?.greeting == "good day")
        #expect(swiftInstance(of: Counted.self, at: use.pointer) == nil)
        #expect(swiftInstance(of: Polite.self, at: nil) == nil)
    }

    @Test func `S3: a service that C registered is used by its table`() throws {
        let services = try center.anyService(named: "peal.services").use(
            of: "PealServiceCenter", as: peal_service_center.self)
        #expect(services.table.count(services.pointer) == 0)
        let service = try agent("one")
        #expect(services.table.count(services.pointer) == 1)
        #expect(!services.table.is_created(services.pointer, "one"))
        _ = try service.get()
        #expect(services.table.is_created(services.pointer, "one"))
    }

    @Test
    func `S3: the one service that provides a protocol is found, and the mark of Swift's services is not counted`()
        throws
    {
        // peal's own lazy agent provides this protocol too.
        let one = try agent("one")
        #expect(pealError { try center.anyService(providing: "PealLazyAgent") }?.status == .ambiguous)
        let lifecycle = Provision("PealLifecycle", peal_lifecycle())
        try center.register(Counted.self, named: "listener", provides: [lifecycle]) { [population] _ in
            Counted(population, "listener")
        }
        #expect(try center.anyService(providing: "PealLifecycle").name == "listener")
        #expect(try center.get(Counted.self, providing: "PealLifecycle").instance.name == "listener")
        try center.register(Account.self) { creation in
            Account(database: try creation.get(Counted.self, providing: "PealLifecycle"))
        }
        #expect(try center.with(Account.self) { $0.database?.name } == "listener")
        #expect(pealError { try center.anyService(providing: "None") }?.status == .notFound)
        #expect(pealError { try one.use(of: "PealLifecycle", as: peal_lifecycle.self) }?.status == .notFound)
        #expect(try one.info().uses == 0)
    }

    @Test
    func
        `S3: a service with a table that does not fit, or an unknown protocol, is not registered, and its closures are freed`()
        throws
    {
        struct Small { var size = 0 }
        struct Wrong { var size = 3; var function: UnsafeRawPointer? }
        for provision in [
            Provision("PealLazyAgent", Small()), Provision("PealLazyAgent", peal_lazy_agent()),
            Provision("PealLazyAgent", Wrong()), Provision("None", Small()), Provision("a\0b", Small()),
        ] {
            let captured = Counted(population)
            let error = pealError {
                try center.register(Counted.self, provides: [provision]) { _ in captured }
            }
            #expect(error?.message.isEmpty == false)
        }
        #expect(population.alive == 0)
        #expect(pealError { try center.service(Counted.self) }?.status == .notFound)
    }

    @Test func `services are listed, peal's own too, and found again`() throws {
        let before = try center.services()
        let names = before.compactMap(\.name)
        #expect(names.contains("peal.services") && names.contains("peal.modules"))
        for index in 0..<40 { _ = try agent("agent \(index)") }
        let after = try center.services()
        #expect(after.count == before.count + 40)
        #expect(try Set(after).contains(center.anyService(named: "agent 39")))
        #expect(after.last?.name == "agent 39")
    }
}
