import Glibc
import Peal
import Testing

private final class Ear: Sendable {
    let hear: @Sendable (String) -> Void
    let life: Counted?

    init(_ population: Population? = nil, _ hear: @escaping @Sendable (String) -> Void) {
        self.hear = hear
        life = population.map { Counted($0) }
    }
}

@Suite struct QueueTests {
    let center: Center
    private let heard = Record<String>()

    init() throws { center = try Center() }

    private func say(_ text: String) throws {
        try center.broadcast(Ear.self) { $0.hear(text) }
    }

    @Test func `F1: names with a zero byte are refused, of queues, protocols and methods`() throws {
        #expect(pealError { try Queue(name: "a\0b") }?.status == .argument)
        #expect(pealError { try center.methods(of: "a\0b") }?.status == .argument)
        #expect(
            pealError { try center.method("a\0b", of: "Chat", taking: Int32.self) }?.status
                == .argument)
        #expect(
            pealError { try center.method("on_x", of: "a\0b", taking: Int32.self) }?.status
                == .argument)
    }

    @Test func `Q4: a serial queue delivers in order`() throws {
        let queue = try Queue()
        let heard = heard
        let ear = Ear { text in
            #expect(queue.isCurrent)
            heard.append(text)
        }
        try center.observe(Ear.self, for: ear, .on(queue))
        for number in 0..<100 { try say("\(number)") }
        try queue.flushBlocking()
        #expect(heard.all == (0..<100).map(String.init))
        #expect(!queue.isCurrent)
        #expect(try queue.info() == Queue.Info(waiting: 0, delivered: 100, dropped: 0, rejected: 0))
    }

    @Test func `Q1: a thread has the name of the queue that it runs`() throws {
        let queue = try Queue(name: "storage")
        let heard = heard
        let ear = Ear { _ in
            let file = open("/proc/thread-self/comm", O_RDONLY)
            var name = [UInt8](repeating: 0, count: 17)
            let count = read(file, &name, name.count)
            close(file)
            // The name in the file ends with a line break.
            heard.append(String(decoding: name.prefix(max(count - 1, 0)), as: UTF8.self))
        }
        try center.observe(Ear.self, for: ear, .on(queue))
        try say("hello")
        try queue.flushBlocking()
        #expect(heard.all == ["peal:storage"])
        #expect(throws: PealError.self) { try Queue(name: "") }
    }

    @Test(arguments: [
        (Overflow.reject, ["0", "1"], 0, 2), (.dropOldest, ["2", "3"], 2, 0), (.dropNewest, ["0", "1"], 2, 0),
        (.keepLatest, ["2", "3"], 2, 0), (.wait(.milliseconds(1)), ["0", "1"], 0, 2),
    ])
    func `Q5: a full queue follows its overflow rule, and counts dropped calls`(
        overflow: Overflow, expected: [String], dropped: Int, rejected: Int
    ) throws {
        let queue = try Queue.pumped(capacity: 2, overflow: overflow)
        let heard = heard
        let ear = Ear { heard.append($0) }
        try center.observe(Ear.self, for: ear, .on(queue))
        for number in 0..<4 { try say("\(number)") }
        try queue.pump()
        #expect(heard.all == expected)
        #expect(try queue.info() == Queue.Info(waiting: 0, delivered: 2, dropped: dropped, rejected: rejected))
    }

    @Test func `a paused queue delays its calls`() throws {
        let queue = try Queue.pumped()
        let heard = heard
        let ear = Ear { heard.append($0) }
        try center.observe(Ear.self, for: ear, .on(queue))
        try queue.pause()
        try say("held")
        #expect(try queue.pump() == 0)
        #expect(try queue.info().waiting == 1)
        let failure = #expect(throws: PealError.self) { try queue.flushBlocking(timeout: .milliseconds(1)) }
        #expect(failure?.status.description == "timeout")
        try queue.resume()
        #expect(try queue.pump() == 1)
        #expect(throws: PealError.self) { try queue.resume() }
    }

    @Test func `Q7: a flush of a queue from its own call fails with its status`() throws {
        let queue = try Queue.pumped()
        let heard = heard
        let ear = Ear { _ in
            do throws(PealError) { try queue.flushBlocking() } catch { heard.append(error.status.description) }
        }
        try center.observe(Ear.self, for: ear, .on(queue))
        try say("")
        try queue.pump()
        #expect(heard.all == ["wouldDeadlock"])
    }

    @Test func `a pumped queue has a descriptor, and a serial queue has none`() throws {
        #expect(try Queue.pumped().descriptor() >= 0)
        let queue = try Queue()
        #expect(throws: PealError.self) { try queue.descriptor() }
        #expect(throws: PealError.self) { try queue.pump() }
    }

    @Test func `capacities and limits without a meaning are refused with a sentence`() throws {
        let failure = #expect(throws: PealError.self) { try Queue(capacity: 0) }
        #expect(failure?.message.contains("pass 1 or more") == true)
        #expect(throws: PealError.self) { try Queue(capacity: -1) }
        #expect(throws: PealError.self) { try Queue.pumped().pump(limit: 0) }
    }

    @Test func `the observers of a queue keep the queue alive`() throws {
        let heard = heard
        let ear = Ear { heard.append($0) }
        weak var kept: Queue?
        do {
            let queue = try Queue.pumped()
            kept = queue
            try center.observe(Ear.self, for: ear, .on(queue))
        }
        try say("kept")
        #expect(try kept?.pump() == 1)
        try center.unobserve(Ear.self, for: ear)
        try kept?.pump()
        #expect(kept == nil)
    }

    @Test func `a queue that ends removes its own observers only`() throws {
        let borrowed: Queue
        do {
            let queue = try Queue.pumped()
            borrowed = Queue(borrowing: queue.handle)
        }
        #expect(throws: PealError.self) { try borrowed.info() }
        let ear = Ear { _ in }
        let failure = #expect(throws: PealError.self) { try center.observe(Ear.self, for: ear, .on(borrowed)) }
        #expect(failure?.status.description == "handle")
    }

    @Test(.timeLimit(.minutes(1))) func `a queue may end with its last observer, on the queue's own thread`()
        async throws
    {
        let borrowed: Queue
        let done = Latch()
        do {
            let queue = try Queue()
            borrowed = Queue(borrowing: queue.handle)
            let ear = Ear { _ in done.open() }
            try center.observe(Ear.self, retaining: ear, .once, .on(queue)).keep()
        }
        try say("the only one")
        #expect(await done.opened())
        #expect(await eventually { (try? borrowed.info()) == nil })
    }
}
