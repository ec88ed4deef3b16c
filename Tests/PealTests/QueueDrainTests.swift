import Glibc
import Peal
import Testing

/// Tests which waiting calls of queues are dropped or delivered.
@Suite struct QueueDrainTests {
    let center: Center
    let heard = Record<Int32>()

    init() throws { center = try Center() }

    private func observe(on queue: Queue, adding offset: Int32 = 0) throws -> ObserverToken {
        try center.observe(Chat.onNumber, .on(queue)) { [heard] in heard.append($0 + offset) }
    }

    private func say(_ numbers: ClosedRange<Int32>) throws {
        for number in numbers { try center.broadcast(Chat.onNumber, number) }
    }

    @Test func `Q6: the end of an observation drops its waiting calls, and not those of others`() throws {
        let queue = try Queue.pumped()
        let first = try observe(on: queue)
        let second = try observe(on: queue, adding: 100)
        try say(1...2)
        #expect(first.cancel())
        #expect(!first.cancel(delivering: true))
        #expect(try queue.pump() == 2)
        #expect(heard.all == [101, 102])
        withExtendedLifetime(second) {}
    }

    @Test func `Q6: an end of an observation that delivers makes the waiting calls, and no later ones`() throws {
        let queue = try Queue.pumped()
        let observation = try observe(on: queue)
        try say(1...2)
        #expect(observation.cancel(delivering: true))
        #expect(!observation.isActive)
        try say(3...3)
        #expect(heard.all.isEmpty)
        try queue.pump()
        #expect(heard.all == [1, 2])
        #expect(try queue.info().waiting == 0)
    }

    @Test func `Q6: an end of an observation that delivers and waits returns once another thread has made the calls`()
        throws
    {
        let queue = try Queue()
        let began = Latch()
        let mayEnd = Latch()
        let gate = try center.observe(Chat.onClose, .on(queue)) {
            began.open()
            #expect(mayEnd.wait())
        }
        let observation = try observe(on: queue)
        try center.broadcast(Chat.onClose)
        #expect(began.wait())
        try say(1...50)
        #expect(heard.all.isEmpty)
        onThreads(2) { [heard] index in
            if index == 1 { return mayEnd.open() }
            #expect((try? observation.cancelAndWaitBlocking(delivering: true)) == true)
            #expect(heard.all == Array(1...50))
        }
        withExtendedLifetime(gate) {}
    }

    @Test
    func
        `Q6: without a thread that pumps, an end that delivers and waits returns at its time limit, and the calls are made when the queue is pumped`()
        throws
    {
        let queue = try Queue.pumped()
        let observation = try observe(on: queue)
        try say(1...2)
        #expect(try observation.cancelAndWaitBlocking(delivering: true, timeout: .milliseconds(1)) == false)
        #expect(heard.all.isEmpty)
        try queue.pump()
        #expect(heard.all == [1, 2])
    }

    @Test func `Q7: an end that delivers and waits does not wait inside one of the queue's calls, and still delivers`()
        throws
    {
        let queue = try Queue.pumped()
        let observation = try observe(on: queue)
        let results = Record<Bool>()
        let other = try center.observe(Chat.onClose, .on(queue)) {
            if let result = try? observation.cancelAndWaitBlocking(delivering: true) { results.append(result) }
        }
        try center.broadcast(Chat.onClose)
        try say(1...2)
        #expect(try queue.pump() == 3)
        #expect(results.all == [false])
        #expect(heard.all == [1, 2])
        withExtendedLifetime(other) {}
    }

    @Test func `Q1: pumping a queue runs the calls that waited when it began, or up to its limit of broadcasts`() throws
    {
        let queue = try Queue.pumped()
        let observation = try center.observe(Chat.onNumber, .on(queue)) { [heard, center] number in
            heard.append(number)
            if number < 3 { _ = try? center.broadcast(Chat.onNumber, number + 10) }
            // A queue's own call cannot pump the queue.
            #expect(pealError { try queue.pump() }?.status == .state)
        }
        try say(1...3)
        #expect(try queue.pump(limit: 2) == 2)
        #expect(heard.all == [1, 2])
        #expect(try queue.pump() == 3)
        #expect(heard.all == [1, 2, 3, 11, 12])
        #expect(try queue.pump() == 0)
        withExtendedLifetime(observation) {}
    }

    @Test func `Q1: the descriptor of a pumped queue is readable while calls wait, so that a loop drains the queue`()
        throws
    {
        let queue = try Queue.pumped()
        let observation = try observe(on: queue)
        let descriptor = try queue.descriptor()
        func isReadable() -> Bool {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&entry, 1, 0) == 1
        }
        #expect(!isReadable())
        try say(1...5)
        #expect(isReadable())
        while isReadable() { try queue.pump(limit: 2) }
        #expect(heard.all == [1, 2, 3, 4, 5])
        withExtendedLifetime(observation) {}
    }

    private final class Ear: Sendable {
        func hear() {}
    }

    @Test func `Q6: a queue that ends drops its waiting calls, and frees their captured arguments`() throws {
        let population = Population()
        let center = center
        func broadcastAndEnd() throws {
            let queue = try Queue.pumped()
            let ear = Ear()
            // The queue is named by its handle, so the registration does not retain it.
            try center.observe(Ear.self, for: ear, .queue(queue.handle))
            let life = Counted(population)
            try center.broadcast(Ear.self) { ear in withExtendedLifetime(life) { ear.hear() } }
            #expect(try queue.info().waiting == 1)
        }
        try broadcastAndEnd()
        #expect(population.alive == 0)
    }

    @Test func `Q7: a flush of a queue returns once all calls that waited have been delivered`() throws {
        let queue = try Queue()
        let observation = try observe(on: queue)
        try say(1...200)
        try queue.flushBlocking()
        #expect(heard.all == Array(1...200))
        try queue.pause()
        try say(201...201)
        #expect(pealError { try queue.flushBlocking(timeout: .milliseconds(1)) }?.status == .timeout)
        try queue.resume()
        try queue.flushBlocking()
        #expect(heard.all.last == 201)
        withExtendedLifetime(observation) {}
    }
}
