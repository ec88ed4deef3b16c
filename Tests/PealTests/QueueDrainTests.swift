import Glibc
import Peal
import Testing

/// What becomes of calls that wait on queues.
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

    @Test("Q6: an end drops the observer's calls that wait, and leaves those of others")
    func ending() throws {
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

    @Test("Q6: an end that delivers has the waiting calls made, and no later ones")
    func delivering() throws {
        let queue = try Queue.pumped()
        let observation = try observe(on: queue)
        try say(1...2)
        #expect(observation.cancel(delivering: true))
        #expect(!observation.isActive)
        try say(3...3)
        #expect(heard.all.isEmpty)
        try queue.pump()
        #expect(heard.all == [1, 2])
        #expect(try queue.counts().waiting == 0)
    }

    @Test("Q6: an end that delivers and waits returns once another thread has made the calls")
    func deliveringAndWaiting() throws {
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

    @Test("Q6: where nobody pumps the wait ends with its limit; the calls are made when somebody does")
    func nobodyPumps() throws {
        let queue = try Queue.pumped()
        let observation = try observe(on: queue)
        try say(1...2)
        #expect(try observation.cancelAndWaitBlocking(delivering: true, timeout: .milliseconds(1)) == false)
        #expect(heard.all.isEmpty)
        try queue.pump()
        #expect(heard.all == [1, 2])
    }

    @Test("Q7: from one of the queue's calls an end that delivers and waits does not wait, and still delivers")
    func fromOwnCall() throws {
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

    @Test("Q1: pumping runs what waited when it began, or as many broadcasts as it may")
    func pumping() throws {
        let queue = try Queue.pumped()
        let observation = try center.observe(Chat.onNumber, .on(queue)) { [heard, center] number in
            heard.append(number)
            if number < 3 { _ = try? center.broadcast(Chat.onNumber, number + 10) }
            // Its own call cannot pump it.
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

    @Test("Q1: its descriptor is readable while something waits, so that a loop drains the queue")
    func descriptor() throws {
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

    @Test("Q6: a queue that ends drops what waits on it, and frees what that had taken along")
    func endOfTheQueue() throws {
        let lives = Lifetimes()
        let center = center
        func broadcastAndEnd() throws {
            let queue = try Queue.pumped()
            let ear = Ear()
            // By its handle: so the registration does not keep it.
            try center.observe(Ear.self, ear, .queue(queue.handle))
            let life = lives.begin()
            try center.broadcast(Ear.self) { ear in withExtendedLifetime(life) { ear.hear() } }
            #expect(try queue.counts().waiting == 1)
        }
        try broadcastAndEnd()
        #expect(lives.living == 0)
    }

    @Test("Q7: a flush returns once all that was put there has been delivered")
    func flushing() throws {
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
