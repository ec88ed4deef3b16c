import Dispatch
import Peal
import Testing

private final class Ear: Sendable {
    let hear: @Sendable (Int) -> Void
    init(_ hear: @escaping @Sendable (Int) -> Void) { self.hear = hear }
}

private let key = DispatchSpecificKey<Bool>()

/// An executor that runs on one thread at a time, and detects whether the current code runs on it.
private final class QueueExecutor: TaskExecutor, SerialExecutor {
    let queue = DispatchQueue(label: "executor")
    init() { queue.setSpecific(key: key, value: true) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            job.runSynchronously(
                isolatedTo: self.asUnownedSerialExecutor(), taskExecutor: self.asUnownedTaskExecutor())
        }
    }

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}

private actor Counter {
    let executor: QueueExecutor?
    var numbers: [Int] = []
    init(_ executor: QueueExecutor? = nil) { self.executor = executor }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor?.asUnownedSerialExecutor() ?? MainActor.sharedUnownedExecutor
    }

    func append(_ number: Int) { numbers.append(number) }
}

@Suite struct ExecutorTests {
    let center: Center
    private let heard = Record<Int>()
    private let done = Latch()

    init() throws { center = try Center() }

    private func deliver(_ count: Int, on queue: Queue, _ check: @escaping @Sendable () -> Void) async throws {
        let (heard, done) = (heard, done)
        let ear = Ear { number in
            check()
            heard.append(number)
            if number == count - 1 { done.open() }
        }
        try center.observe(Ear.self, retaining: ear, .on(queue)).keep()
        for number in 0..<count { try center.broadcast(Ear.self) { $0.hear(number) } }
        #expect(await done.opened())
        #expect(heard.all == Array(0..<count))
    }

    @Test func `Q1: a queue on a task executor runs the calls in order`() async throws {
        let executor = QueueExecutor()
        try await deliver(50, on: Queue(executor: executor as any TaskExecutor)) {
            #expect(QueueExecutor.isCurrent)
        }
    }

    @Test func `Q1: a queue on a serial executor runs the calls in order`() async throws {
        let executor = QueueExecutor()
        try await deliver(50, on: Queue(executor: executor as any SerialExecutor)) {
            #expect(QueueExecutor.isCurrent)
        }
    }

    @Test func `a queue on the main actor runs the calls isolated to it`() async throws {
        try await deliver(50, on: Queue(actor: MainActor.shared)) { MainActor.preconditionIsolated() }
    }

    @Test func `a queue on an actor with its own executor runs the calls isolated to it`() async throws {
        let counter = Counter(QueueExecutor())
        try await deliver(50, on: Queue(actor: counter)) {
            #expect(QueueExecutor.isCurrent)
            counter.assumeIsolated { $0.numbers.append(1) }
        }
        #expect(await counter.numbers.count == 50)
    }

    @Test func `a queue does not keep its actor alive, and rejects calls after the actor's end`() throws {
        weak var kept: Counter?
        let queue: Queue
        do {
            let counter = Counter()
            kept = counter
            queue = try Queue(actor: counter)
        }
        #expect(kept == nil)
        let ear = Ear { _ in Issue.record("called without its actor") }
        try center.observe(Ear.self, for: ear, .on(queue))
        try center.broadcast(Ear.self) { $0.hear(1) }
        #expect(try queue.info().rejected == 1)
    }
}
