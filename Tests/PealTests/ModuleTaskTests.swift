import Peal
import Synchronization
import Testing

/// Steps that are tasks: their cancellation, time limits and task-local values.
@Suite struct ModuleTaskTests {
    let center: Center
    private let notes = Record<String>()

    init() throws { center = try Center() }

    @Test(.timeLimit(.minutes(1))) func `M5: a module's start that suspends is cancelled when its time limit expires`()
        async throws
    {
        let ended = Latch()
        try center.add(Sleeping(notes: notes, ended: ended, limit: .milliseconds(20)))
        let failure = await #expect(throws: PealError.self) { try await center.startModules() }
        #expect(failure?.status == .timeout)
        #expect(await ended.opened())
        #expect(notes.all == ["Sleeping was cancelled"])
    }

    @Test(.timeLimit(.minutes(1))) func `M5: a start that succeeds after its time limit is undone by its stop`()
        async throws
    {
        // The limit is that of the stop too, which must be called before it expires.
        let all = try await withLongerLimits { limit in
            let (center, notes, go, stopped) = (try Center(), Record<String>(), Latch(), Latch())
            try center.add(Stubborn(notes: notes, go: go, stopped: stopped, limit: limit))
            let failure = await #expect(throws: PealError.self) { try await center.startModules() }
            #expect(failure?.status == .timeout)
            #expect(notes.all == [])
            go.open()
            #expect(await stopped.opened())
            return notes.all
        } until: {
            $0.last == "Stubborn stops"
        }
        #expect(all == ["Stubborn starts", "Stubborn stops"])
    }

    @Test(.timeLimit(.minutes(1)))
    func `M5: cancelling the task that starts the modules cancels the start, and the started modules are stopped`()
        async throws
    {
        let (began, ended) = (Latch(), Latch())
        try center.add(Plain(moduleName: "first", notes: notes))
        try center.add(Sleeping(notes: notes, began: began, ended: ended, limit: nil))
        try center.add(Plain(moduleName: "last", dependencies: [.type(Sleeping.self)], notes: notes))
        let center = center
        let task = Task { try await center.startModules() }
        #expect(await began.opened())
        task.cancel()
        let failure = await #expect(throws: PealError.self) { try await task.value }
        #expect(failure?.status == .state)
        #expect(failure?.message.contains("cancelled") == true)
        #expect(notes.all == ["first starts", "Sleeping was cancelled", "first stops"])
        #expect(try center.modulesState == .idle)
    }

    @Test(.timeLimit(.minutes(1))) func `M5: a cancelled task starts no module`() async throws {
        try center.add(Plain(moduleName: "first", notes: notes))
        let center = center
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await center.startModules()
        }
        #expect(await #expect(throws: PealError.self) { try await task.value }?.status == .state)
        #expect(notes.all == [])
        try await center.startModules()
        #expect(notes.all == ["first starts"])
        try await center.stopModules()
    }

    @Test func `M1: steps have the task-local values of the task that starts and stops the modules`() async throws {
        try center.add(Tracing(notes: notes))
        try await Tracing.$trace.withValue("a start") { try await center.startModules() }
        try await Tracing.$trace.withValue("a stop") { try await center.stopModules() }
        #expect(notes.all == ["a start", "a start, later", "a stop"])
    }

    @Test(.timeLimit(.minutes(1))) func `M5: a module's stop is cancelled when the time limit of all stops expires`()
        async throws
    {
        let ended = Latch()
        try center.add(Lingering(notes: notes, ended: ended))
        try await center.startModules()
        let failure = await #expect(throws: PealError.self) { try await center.stopModules(timeout: .milliseconds(20)) }
        #expect(failure?.status == .timeout)
        #expect(await ended.opened())
        #expect(notes.all == ["Lingering was cancelled"])
    }

    @Test(.timeLimit(.minutes(1))) @MainActor func `M4: a module that starts late is awaited, on the main actor too`()
        async throws
    {
        try await center.startModules()
        let main = OnMain()
        #expect(try await center.addAndStart(main).info().state == .running)
        #expect(main.isStarted)
        try await center.stopModules()
    }
}

private struct Plain: Module {
    let moduleName: String
    var dependencies: [Dependency] = []
    let notes: Record<String>

    func start(in center: Center) { notes.append("\(moduleName) starts") }
    func stop(in center: Center) { notes.append("\(moduleName) stops") }
}

private struct Sleeping: Module {
    let notes: Record<String>
    var began: Latch?
    let ended: Latch
    let limit: Duration?

    var stepTimeout: Duration? { limit }
    func start(in center: Center) async throws {
        defer { ended.open() }
        began?.open()
        do {
            try await Task.sleep(for: .seconds(50))
        } catch {
            notes.append("Sleeping was cancelled")
            throw error
        }
    }
    func stop(in center: Center) { notes.append("Sleeping stops") }
}

/// A module whose steps ignore their cancellation.
private struct Stubborn: Module {
    let notes: Record<String>
    let go: Latch
    let stopped: Latch
    let limit: Duration

    var stepTimeout: Duration? { limit }
    func start(in center: Center) async throws {
        _ = await Task { await go.opened() }.value
        notes.append("Stubborn starts")
    }
    func stop(in center: Center) {
        notes.append(Task.isCancelled ? "Stubborn's stop is cancelled" : "Stubborn stops")
        stopped.open()
    }
}

private struct Lingering: Module {
    let notes: Record<String>
    let ended: Latch

    func stop(in center: Center) async throws {
        defer { ended.open() }
        do {
            try await Task.sleep(for: .seconds(50))
        } catch {
            notes.append("Lingering was cancelled")
        }
    }
}

private struct Tracing: Module {
    @TaskLocal static var trace = "none"
    let notes: Record<String>

    func start(in center: Center) async {
        notes.append(Self.trace)
        await Task.yield()
        notes.append("\(Self.trace), later")
    }
    func stop(in center: Center) { notes.append(Self.trace) }
}

@MainActor private final class OnMain: Module {
    private(set) var isStarted = false

    nonisolated var moduleName: String { "main" }
    func start(in center: Center) async {
        await Task.yield()
        isStarted = true
    }
}
