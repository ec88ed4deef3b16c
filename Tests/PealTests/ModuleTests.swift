import CPeal
import Peal
import Testing

/// Modules that are written in Swift.
@Suite struct ModuleTests {
    let center: Center
    let population = Population()
    let notes = Record<String>()

    init() throws { center = try Center() }

    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    @discardableResult
    private func add(_ name: String, needs: [Dependency] = [], priority: Int32 = 0, failing: String? = nil) throws
        -> RegisteredModule
    {
        try center.add(Part(name, notes, population, needs: needs, priority: priority, failing: failing))
    }

    @Test func `M2: modules start dependencies first, then by priority, then by registration; and stop in reverse`()
        throws
    {
        try add("pages", needs: ["network"])
        try add("late")
        try add("early", priority: 7)
        try add("network", needs: ["storage"])
        try add("storage", priority: -1)
        #expect(try center.modulesState == .idle)
        try center.startModulesBlocking()
        #expect(try center.modulesState == .running)
        let starts = ["early", "late", "storage", "network", "pages"]
        #expect(notes.all.filter { $0.hasSuffix(" starts") } == starts.map { "\($0) starts" })
        #expect(try center.moduleReport().map(\.name) == starts)
        #expect(try center.stopModulesBlocking() == .complete)
        #expect(notes.all.filter { $0.hasSuffix(" stops") } == starts.reversed().map { "\($0) stops" })
        #expect(try center.modulesState == .stopped)
    }

    @Test func `M1, M3: a module observes the life cycle from the end of its start until the beginning of its stop`()
        throws
    {
        try add("a")
        try add("b")
        try center.lifecycle.didBecomeActive()
        try center.startModulesBlocking()
        try center.lifecycle.didBecomeActive()
        try center.lifecycle.configurationReloaded()
        #expect(try center.lifecycle.openURL("b:x"))
        #expect(try !center.lifecycle.openURL("c:x"))
        #expect(try center.lifecycle.continueActivity(type: "reading"))
        try center.stopModulesBlocking()
        try center.lifecycle.didBecomeActive()
        #expect(
            notes.all == [
                "a willStart", "b willStart", "a starts", "b starts", "a didStart", "b didStart",
                "a didBecomeActive", "b didBecomeActive", "a configurationReloaded", "b configurationReloaded",
                "a openURL b:x", "b openURL b:x", "a openURL c:x", "b openURL c:x", "a continueActivity reading -",
                "a willTerminate", "b willTerminate", "b stops", "a stops",
            ])
    }

    @Test func `each event of modules calls its function with its arguments`() throws {
        try add("a")
        try center.startModulesBlocking()
        let before = notes.all.count
        let life = center.lifecycle
        try life.willResignActive()
        try life.didEnterBackground()
        try life.willEnterForeground()
        try life.memoryWarning()
        #expect(try life.continueActivity(type: "x", data: "ü"))
        #expect(
            notes.all.dropFirst(before) == [
                "a willResignActive", "a didEnterBackground", "a willEnterForeground", "a memoryWarning",
                "a continueActivity x ü",
            ])
        #expect(pealError { try life.openURL("a\0b") }?.status == .argument)
    }

    @Test func `M3: a remote notification completes once, when all modules have answered`() async throws {
        let go = Latch()
        try center.add(Answering(name: "one", answer: 1, latch: go))
        try center.add(Answering(name: "two", answer: 2, latch: nil))
        try add("three")
        try await center.startModules()
        async let answers = center.lifecycle.remoteNotification("hello")
        go.open()
        let all = try await answers
        #expect(all.result == 2 && all.completed == 2 && all.dropped == 1 && !all.isLate)
        // The time limit is long enough for "two" to answer, however busy the machine is. "one" waits for its latch.
        let late = try await withLongerLimits {
            try await center.lifecycle.remoteNotification("hello", timeout: $0)
        } until: { late in
            defer { go.open() }
            return late.completed == 1
        }
        #expect(late.isLate && late.completed == 1)
        // A late answer is harmless.
        _ = try await center.stopModules()
        await #expect(throws: PealError.self) {
            try await Center(borrowing: peal_center()).lifecycle.remoteNotification("")
        }
    }

    @Test func `M2: a missing dependency of modules and a cycle are named before any module starts`() throws {
        try add("network", needs: ["storage"])
        #expect(pealError { try center.startModulesBlocking() }?.status == .notFound)
        #expect(pealError { try center.startModulesBlocking() }?.message.contains("storage") == true)
        try add("storage", needs: ["network"])
        #expect(pealError { try center.startModulesBlocking() }?.status == .cycle)
        #expect(notes.all == [])
    }

    @Test(arguments: [false, true])
    func
        `M2: a module's start that throws is reported with its own error, the started modules are stopped, and the start may be repeated`(
            suspends: Bool
        ) async throws
    {
        try add("first")
        let flaky = try center.add(Flaky(failures: 1, suspends: suspends))
        let caught = await #expect(throws: PealError.self) { try await center.startModules() }
        #expect(caught?.status == .start)
        #expect(caught?.message == "module PealTests.Flaky could not be started: no network at 1")
        #expect(try flaky.info().state == .failed)
        #expect(try flaky.info().lastFailure?.contains("no network at 1") == true)
        #expect(notes.all == ["first willStart", "first starts", "first stops"])
        try await center.startModules()
        #expect(try flaky.info().state == .running)
        #expect(try flaky.info().lastFailure?.contains("answered") != true)
        try await center.stopModules()
    }

    @Test @MainActor
    func `M5: starting the modules waits for a start that suspends, which does not run on the main actor`() async throws
    {
        let part = OnMain()
        try center.add(part)
        try await center.startModules()
        #expect(part.isStarted)
        #expect(try await center.stopModules() == .complete)
        #expect(!part.isStarted)
    }

    @Test func `M5: a module's start that exceeds its time limit is reported while it runs, and cancelled`()
        async throws
    {
        let go = Latch()
        let events = Record<ModuleEvent>()
        let observation = try center.observeModules { events.append($0) }
        let slow = try center.add(Slow(latch: go))
        let caught = await #expect(throws: PealError.self) { try await center.startModules() }
        #expect(caught?.status == .timeout)
        #expect(try slow.info().isOverdue)
        let wasReported = await eventually {
            events.all.contains {
                if case .overdue("PealTests.Slow", step: .start, after: _) = $0 { true } else { false }
            }
        }
        #expect(wasReported)
        go.open()
        observation.cancel()
    }

    @Test func `M4: a module that is registered late starts at once, or is not registered and the reason is thrown`()
        throws
    {
        try add("first")
        try center.startModulesBlocking()
        #expect(try add("second", needs: ["first"]).info().state == .running)
        #expect(pealError { try add("third", needs: ["fourth"]) } != nil)
        let failed = pealError { try add("fifth", failing: "no disk") }
        #expect(failed?.status == .start && failed?.message.contains("no disk") == true)
        #expect(pealError { try center.module(named: "fifth") }?.status == .notFound)
        #expect(try center.modules().count == 2)
        // The refused modules have been freed.
        #expect(population.alive == 2)
    }

    @Test
    func `M4: modules are removed by their handle or their class, unless another module needs them, and are freed`()
        throws
    {
        let first = try add("first")
        let second = try add("second", needs: ["first"])
        try center.startModulesBlocking()
        #expect(pealError { try first.removeBlocking() }?.status == .state)
        #expect(try second.removeBlocking() == .complete)
        #expect(notes.all.last == "second stops")
        #expect(population.alive == 1)
        #expect(pealError { try second.removeBlocking() }?.status == .handle)
        try add("third")
        let removed = try center.removeModulesBlocking(ofClass: "part")
        #expect(removed.removed == 2 && removed.ending == .complete)
        #expect(population.alive == 0)
        #expect(pealError { try center.removeModulesBlocking(ofClass: "none") }?.status == .notFound)
    }

    @Test func `M5: the end of a center stops its running modules, and frees all of them`() throws {
        do {
            let center = try Center()
            try center.add(Part("a", notes, population))
            try center.startModulesBlocking()
        }
        #expect(notes.all.last == "a stops")
        #expect(population.alive == 0)
    }

    @Test
    func `M5: starting the modules from within a step fails because it would deadlock, and stopping them is pending`()
        throws
    {
        let status = Record<Status>(), endings = Record<Ending>()
        try center.add(Nesting(status: status, endings: endings))
        #expect(pealError { try center.startModulesBlocking() }?.status == .state)
        #expect(status.all == [.wouldDeadlock])
        #expect(endings.all == [.pending])
    }

    @Test
    func
        `M5: starting and stopping the modules from a step that has suspended do the same, and all modules are stopped after the step`()
        async throws
    {
        let status = Record<Status>(), endings = Record<Ending>()
        try add("first")
        try center.add(Suspending(status: status, endings: endings))
        // The stop begins while the step runs or right after it. In both cases all modules are stopped.
        do { try await center.startModules() } catch { #expect(error.status == .state) }
        #expect(status.all == [.wouldDeadlock, .wouldDeadlock])
        #expect(endings.all == [.pending, .pending])
        try await center.stopModules()
        #expect(try center.modulesState == .stopped)
        #expect(notes.all.last == "first stops")
    }

    @Test func `M1: a service is a module, whose instance lives from its start until after its stop`() throws {
        let service = try center.register(Part.self) { [notes, population] _ in Part("service", notes, population) }
        try center.add(service, named: "module", dependencies: ["first"])
        try add("first")
        try center.startModulesBlocking()
        #expect(try service.info().createdBy == "module module")
        try center.lifecycle.didBecomeActive()
        #expect(try service.removeInstance() == .pending)
        try center.stopModulesBlocking()
        #expect(
            notes.all.filter { $0.hasPrefix("service") } == [
                "service willStart", "service starts", "service didStart", "service didBecomeActive",
                "service willTerminate",
                "service stops",
            ])
        #expect(population.alive == 1)
    }

    @Test func `M5: the steps and events of a module with a queue run on that queue`() throws {
        let queue = try Queue()
        let asked = Record<Bool>()
        try center.add(Asking(queue: queue, asked: asked), on: queue)
        try center.startModulesBlocking()
        try center.lifecycle.didBecomeActive()
        // The stop of a module drops its waiting calls, so they are delivered first.
        try queue.flushBlocking()
        try center.stopModulesBlocking()
        #expect(asked.all == [true, true, true])
    }

    @Test func `F1: names that are invalid are refused`() throws {
        for name in ["", "a\0b", String(repeating: "x", count: 256)] {
            #expect(pealError { try add(name) }?.status == .argument)
        }
        try add("a")
        #expect(pealError { try add("a") }?.status == .conflict)
        #expect(pealError { try add("b", needs: ["b"]) }?.status == .cycle)
        #expect(pealError { try center.forwardToModules("None") }?.status == .notFound)
        #expect(population.alive == 1)
    }
}

/// A module that records all its calls.
final class Part: Module {
    let moduleName: String
    let dependencies: [Dependency]
    let priority: Int32
    private let failing: String?
    private let notes: Record<String>
    private let counted: Counted

    init(
        _ name: String, _ notes: Record<String>, _ population: Population, needs: [Dependency] = [],
        priority: Int32 = 0,
        failing: String? = nil
    ) {
        moduleName = name
        dependencies = needs
        self.priority = priority
        self.failing = failing
        self.notes = notes
        counted = Counted(population)
    }

    var moduleClass: String? { "part" }

    private func note(_ what: String) { notes.append("\(moduleName) \(what)") }

    func start(in center: Center) throws {
        note("starts")
        if let failing { throw ModuleTests.Broken(description: failing) }
    }

    func stop(in center: Center) { note("stops") }
    func willStart() { note("willStart") }
    func didStart() { note("didStart") }
    func willTerminate() { note("willTerminate") }
    func willResignActive() { note("willResignActive") }
    func didBecomeActive() { note("didBecomeActive") }
    func didEnterBackground() { note("didEnterBackground") }
    func willEnterForeground() { note("willEnterForeground") }
    func memoryWarning() { note("memoryWarning") }
    func configurationReloaded() { note("configurationReloaded") }

    func openURL(_ url: String) -> Bool {
        note("openURL \(url)")
        return url.hasPrefix(moduleName)
    }

    func continueActivity(type: String, data: String?) -> Bool {
        note("continueActivity \(type) \(data ?? "-")")
        return true
    }
}

private struct Answering: Module {
    let name: String
    let answer: Int64
    let latch: Latch?

    var moduleName: String { name }

    func remoteNotification(_ payload: String) async -> Int64? {
        if let latch { _ = await latch.opened() }
        return answer
    }
}

private final class Flaky: Module {
    private let population = Population()
    private let failures: Int
    private let suspends: Bool

    init(failures: Int, suspends: Bool) {
        self.failures = failures
        self.suspends = suspends
    }

    func start(in center: Center) async throws {
        if suspends { await Task.yield() }
        population.began()
        if population.made <= failures { throw ModuleTests.Broken(description: "no network at \(population.made)") }
    }
}

@MainActor private final class OnMain: Module {
    private(set) var isStarted = false

    nonisolated var moduleName: String { "main" }
    func start(in center: Center) async { isStarted = true }
    func stop(in center: Center) async { isStarted = false }
}

private struct Slow: Module {
    let latch: Latch

    var stepTimeout: Duration? { .milliseconds(20) }
    func start(in center: Center) async { _ = await latch.opened() }
}

private struct Nesting: Module {
    let status: Record<Status>
    let endings: Record<Ending>

    func start(in center: Center) throws {
        do {
            try center.startModulesBlocking()
        } catch {
            status.append(error.status)
        }
        endings.append(try center.stopModulesBlocking())
    }
}

private struct Suspending: Module {
    let status: Record<Status>
    let endings: Record<Ending>

    func start(in center: Center) async throws {
        await Task.yield()
        for isAwaited in [true, false] {
            do {
                if isAwaited { try await center.startModules() } else { try startHere(center) }
            } catch {
                status.append((error as? PealError)?.status ?? .ok)
            }
        }
        endings.append(try await center.stopModules())
        endings.append(try stopHere(center))
    }

    private func startHere(_ center: Center) throws { try center.startModulesBlocking() }
    private func stopHere(_ center: Center) throws -> Ending { try center.stopModulesBlocking() }
}

private struct Asking: Module {
    let queue: Queue
    let asked: Record<Bool>

    func start(in center: Center) { asked.append(peal_queue_is_current(queue.handle)) }
    func stop(in center: Center) { asked.append(peal_queue_is_current(queue.handle)) }
    func didBecomeActive() { asked.append(peal_queue_is_current(queue.handle)) }
}
