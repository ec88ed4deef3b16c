import CPeal
import Peal
import Testing

/// Events of services, and waits for services.
@Suite struct ServiceEventTests {
    let center: Center
    let population = Population()

    init() throws { center = try Center() }

    @Test func `S1: observers of services are notified: registered, created, removed, failed, unregistered`() throws {
        let events = Record<ServiceEvent>()
        let observation = try center.observeServices { events.append($0) }
        let service = try register("one")
        _ = try service.get()
        try service.removeInstance()
        try service.remove()
        let failing = try center.register(Counted.self, named: "two") { _ in throw Failing() }
        _ = pealError { try failing.get() }
        #expect(
            events.all.prefix(4) == [
                .registered("one"), .created("one", by: "the program"), .removed("one"), .unregistered("one"),
            ])
        guard case .failed("two", let message) = events.all.last else { return #expect(Bool(false), "\(events.all)") }
        #expect(message.contains("no luck"))
        observation.cancel()
        try register("three")
        #expect(events.all.count == 6)
    }

    @Test func `the events of services are a sequence, which ends with the center and leaves no observer`() async throws
    {
        let observers = try Center()
        var events = try observers.serviceEvents().makeAsyncIterator()
        try observers.register(Counted.self) { [population] _ in Counted(population) }
        #expect(await events.next() == .registered("PealTests.Counted"))
        do {
            var short: Center? = try Center()
            let handle = try #require(short?.handle)
            var events = try #require(short).serviceEvents().makeAsyncIterator()
            short = nil
            #expect(pealError { try Center(borrowing: handle).services() }?.status == .handle)
            #expect(await events.next() == nil)
        }
        // A loop that has ended leaves no observer.
        let count = try observedServices(of: observers)
        let task = Task { for await _ in try observers.serviceEvents() {} }
        task.cancel()
        try await task.value
        #expect(try observedServices(of: observers) == count)
    }

    @Test func `S1: a wait for a service ends when it is registered, at once if it is registered already`() throws {
        let waiting = Latch()
        let found = Record<String>()
        onThreads(2) { [center, population] index in
            if index == 0 {
                waiting.open()
                if let name = (try? center.waitForServiceBlocking(Counted.self, timeout: .seconds(20)))?.name {
                    found.append(name)
                }
            } else {
                #expect(waiting.wait())
                _ = try? center.register(Counted.self) { _ in Counted(population) }
            }
        }
        #expect(found.all == ["PealTests.Counted"])
        #expect(try center.waitForServiceBlocking(Counted.self).name == "PealTests.Counted")
        #expect(
            pealError { try center.waitForServiceBlocking(Account.self, timeout: .milliseconds(1)) }?.status == .timeout
        )
        #expect(
            pealError { try center.waitForServiceBlocking(Account.self, timeout: .seconds(-1)) }?.status == .timeout)
        #expect(
            pealError { try center.waitForServiceBlocking(named: "a\0b") as ServiceProvider<Account> }?.status
                == .argument)
    }

    @Test
    func
        `S1: a task waits for a service, without blocking a thread, until it is registered, the time limit expires, or the task is cancelled`()
        async throws
    {
        async let first = center.waitForService(Counted.self, named: "late")
        async let second = center.waitForService(Counted.self, named: "late", timeout: .seconds(20))
        #expect(try await eventually { try observedServices(of: center) == 2 })
        try register("other")
        try register("late")
        let names = try await [first.name, second.name]
        #expect(names == ["late", "late"])
        #expect(try await center.waitForService(Counted.self, named: "late").name == "late")
        let late = await #expect(throws: PealError.self) {
            try await center.waitForService(Account.self, timeout: .milliseconds(1))
        }
        #expect(late?.status == .timeout)
        let task = Task { [center] in try await center.waitForService(Account.self) }
        #expect(try await eventually { try observedServices(of: center) == 1 })
        task.cancel()
        let cancelled = await #expect(throws: PealError.self) { try await task.value }
        #expect(cancelled?.status == .state)
        #expect(try observedServices(of: center) == 0)
    }

    @Test func `S1: a task that waits for a service gets an error when the center ends`() async throws {
        var handle = peal_center()
        try #require(peal_center_create(&handle) == PEAL_OK)
        let borrowed = Center(borrowing: handle)
        let task = Task { try await borrowed.waitForService(Account.self) }
        #expect(try await eventually { try observedServices(of: borrowed) == 1 })
        #expect(peal_center_destroy(handle) == PEAL_OK)
        let ended = await #expect(throws: PealError.self) { try await task.value }
        #expect(ended?.status == .handle)
    }

    struct Failing: Error, CustomStringConvertible {
        let description = "no luck"
    }

    @discardableResult
    private func register(_ name: String) throws -> ServiceProvider<Counted> {
        try center.register(Counted.self, named: name) { [population] _ in Counted(population) }
    }

    /// Returns the number of observers of the services.
    private func observedServices(of center: Center) throws -> Int {
        let observers = try center.anyService(named: "peal.observers").use(
            of: "PealObserverCenter", as: peal_observer_center.self)
        return observers.table.count_observers(observers.pointer, "PealServices")
    }
}
