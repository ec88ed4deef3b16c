import CPeal
import Glibc
import Peal
import Testing

/// Signals that are bound to the life cycle of the modules, and protocols that are forwarded to modules.
@Suite(.serialized) struct ModuleSignalTests {
    let center: Center
    let notes = Record<String>()

    init() throws { center = try Center() }

    /// A module that opens a latch when the configuration is reloaded, and records which services are registered.
    private struct Watching: Module {
        let notes: Record<String>
        let latch: Latch

        func configurationReloaded() {
            notes.append("reloaded")
            latch.open()
        }

        var tables: [Provision] {
            var table = peal_service_events()
            table.service_registered = { pointer, name in
                guard let module = swiftInstance(of: Watching.self, at: pointer), let name else { return }
                module.notes.append("registered \(String(cString: name))")
            }
            return [Provision("PealServices", table)]
        }
    }

    @Test
    func `M6: a signal notifies the modules and their observers, and has its previous effect again when it is unbound`()
        throws
    {
        let latch = Latch(), events = Record<ModuleEvent>()
        try center.add(Watching(notes: notes, latch: latch))
        let observation = try center.observeModules { events.append($0) }
        try center.startModulesBlocking()
        try center.bindSignal(SIGWINCH, to: .reload)
        #expect(pealError { try center.bindSignal(SIGWINCH, to: .reload) }?.status == .conflict)
        #expect(kill(getpid(), SIGWINCH) == 0)
        #expect(latch.wait())
        #expect(events.all.contains(.signal(SIGWINCH)))
        #expect(notes.all == ["reloaded"])
        try center.unbindSignal(SIGWINCH)
        #expect(pealError { try center.unbindSignal(SIGWINCH) }?.status == .notFound)
        observation.cancel()
    }

    @Test func `M6: the action of a signal runs on its queue, and a termination stops the modules`() throws {
        let queue = try Queue.pumped()
        try center.add(Watching(notes: notes, latch: Latch()))
        try center.startModulesBlocking()
        let arrived = Latch()
        let observation = try center.observeModules { if $0 == .signal(SIGUSR2) { arrived.open() } }
        try center.bindSignal(SIGUSR2, to: .terminate(timeout: .seconds(5)), on: queue)
        #expect(kill(getpid(), SIGUSR2) == 0)
        var watched = pollfd(fd: try queue.descriptor(), events: Int16(POLLIN), revents: 0)
        #expect(poll(&watched, 1, 20_000) == 1)
        #expect(try center.modulesState == .running)
        _ = try queue.pump()
        #expect(arrived.wait())
        #expect(try center.modulesState == .stopped)
        observation.cancel()
    }

    @Test func `M6: signals that cannot be bound are refused`() {
        #expect(pealError { try center.bindSignal(SIGKILL, to: .reload) }?.status == .argument)
        #expect(pealError { try center.bindSignal(SIGHUP, to: .background) }?.status == .argument)
        #expect(
            pealError {
                try center.bindSignal(
                    SIGALRM, to: .terminate(timeout: nil), on: Queue(borrowing: peal_queue(id: 5)))
            } != nil)
    }

    @Test func `M1: a forwarded protocol reaches modules by their tables, while they run`() throws {
        try center.add(Watching(notes: notes, latch: Latch()))
        try center.forwardToModules("PealServices")
        try center.register(Account.self, named: "before") { _ in Account(database: nil) }
        try center.startModulesBlocking()
        try center.register(Account.self, named: "while") { _ in Account(database: nil) }
        try center.stopModulesBlocking()
        try center.register(Account.self, named: "after") { _ in Account(database: nil) }
        #expect(notes.all == ["registered while"])
    }
}
