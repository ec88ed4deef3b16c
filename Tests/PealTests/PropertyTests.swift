import Peal
import Testing

private struct Point: PealStruct, Equatable {
    var x, y: Double
    static let structure = Structure<Point>("point", .member("x", \.x), .member("y", \.y))
}

private enum Presence: Int32, PealEnum {
    case offline, online
    static let unknown = Presence.offline
}

private final class Bar: Sendable {
    let shown: Record<Int32>
    let life: Counted
    init(_ shown: Record<Int32>, _ population: Population) {
        self.shown = shown
        life = Counted(population)
    }
}

@Suite struct PropertyTests {
    let center: Center
    private let told = Record<String>()

    init() throws { center = try Center() }

    @Test func `X5: a property is found by its name, with its value`() throws {
        let volume = try Property("volume", initially: Int32(5), in: center)
        #expect(try volume.value == 5)
        try volume.set(7)
        #expect(try Property("volume", initially: Int32(0), in: center).value == 7)
        #expect(try Property<Int32>(existing: "volume", in: center).value == 7)
        #expect(try volume.name() == "volume")
    }

    @Test func `a property returns values of all kinds as they were set`() throws {
        #expect(try roundTrip("bool", false, true))
        #expect(try roundTrip("int", 1, Int.min))
        #expect(try roundTrip("byte", UInt8(1), .max))
        #expect(try roundTrip("float", Float(1), -2.5))
        #expect(try roundTrip("double", 1.0, .infinity))
        #expect(try roundTrip("text", "", String(repeating: "é", count: 2000)))
        #expect(try roundTrip("struct", Point(x: 1, y: 2), Point(x: 3, y: 4)))
        #expect(try roundTrip("enum", Presence.offline, .online))
    }

    private func roundTrip<Value: PealValue & Sendable & Equatable>(
        _ name: String, _ first: Value, _ second: Value
    ) throws -> Bool {
        let told = Record<Value>()
        let property = try Property(name, initially: first, in: center)
        let observation = try property.observe {
            told.append($0); told.append($1)
        }
        guard try property.value == first else { return false }
        try property.set(second)
        observation.cancel()
        return try property.value == second && told.all == [first, second]
    }

    @Test func `a property that is declared with another type is refused, and both types are named`() throws {
        _ = try Property("volume", initially: Int32(5), in: center)
        let failure = #expect(throws: PealError.self) { try Property("volume", initially: "loud", in: center) }
        #expect(failure?.status == .conflict)
        #expect(failure?.message.contains("volume") == true)
        #expect(failure?.message.contains("int32_t") == true)
        #expect(failure?.message.contains("const char *") == true)
        #expect(throws: PealError.self) { try Property<Int64>(existing: "volume", in: center) }
        let missing = #expect(throws: PealError.self) { try Property<Int64>(existing: "brightness", in: center) }
        #expect(missing?.status == .notFound)
    }

    @Test func `X5: observers of a property are notified of old and new values in the order of the sets`() throws {
        let volume = try Property("volume", initially: Int32(5), in: center)
        let told = told
        let observation = try volume.observe { old, new in told.append("\(old)-\(new)") }
        try volume.set(6)
        try volume.set(7)
        #expect(told.all == ["5-6", "6-7"])
        observation.cancel()
        try volume.set(8)
        #expect(told.all.count == 2)
    }

    @Test func `the observation of a property ends when its last reference ends, unless it is kept`() throws {
        let volume = try Property("volume", initially: Int32(5), in: center)
        let told = told
        _ = try volume.observe { old, new in told.append("\(old)-\(new)") }
        try volume.set(6)
        #expect(told.all.isEmpty)
    }

    @Test func `an observer of a property may be notified of the value at once, and before a change`() throws {
        let volume = try Property("volume", initially: Int32(5), in: center)
        let told = told
        let after = try volume.observeChanges(.initial) {
            told.append("\($0.isInitial ? "initial" : "after") \($0.old)-\($0.new)")
        }
        let before = try volume.observe(.before) { old, new in
            told.append("before \(old)-\(new), is \((try? volume.value) ?? -1)")
        }
        let both = try volume.observeChanges([.before, .initial], .priority(-1)) {
            told.append("both \($0.isInitial)")
        }
        try volume.set(6)
        #expect(
            told.all == [
                "initial 5-5", "both true", "before 5-6, is 5", "both false", "after 5-6",
            ])
        withExtendedLifetime((after, before, both)) {}
    }

    @Test func `X5: a set of a property from its observer is notified later`() throws {
        let volume = try Property("volume", initially: Int32(5), in: center)
        let told = told
        let limiter = try volume.observe { _, new in
            told.append("\(new)")
            if new > 10 {
                let status = try? volume.set(10)
                told.append("\(status == .deferred)")
            }
        }
        let second = try volume.observe { _, new in told.append("second \(new)") }
        #expect(try volume.set(11) == .ok)
        #expect(told.all == ["11", "true", "second 11", "10", "second 10"])
        withExtendedLifetime((limiter, second)) {}
    }

    @Test func `a property may ignore sets of equal values`() throws {
        let title = try Property("title", initially: "a", in: center, ignoresEqual: true)
        let told = told
        let observation = try title.observe { told.append("\($0)-\($1)") }
        try title.set("a")
        try title.set("b")
        #expect(told.all == ["a-b"])
        withExtendedLifetime(observation) {}
    }

    @Test func `X5: a batch notifies once of each property`() throws {
        let width = try Property("width", initially: Int32(1), in: center)
        let height = try Property("height", initially: Int32(1), in: center)
        let told = told
        let first = try width.observe { told.append("width \($0)-\($1)") }
        let second = try height.observe { told.append("height \($0)-\($1)") }
        struct Enough: Error {}
        #expect(throws: Enough.self) {
            try Center.batch {
                try height.set(2)
                try Center.batch { try width.set(2) }
                #expect(try width.set(3) == .deferred)
                #expect(told.all.isEmpty)
                throw Enough()
            }
        }
        #expect(told.all == ["height 1-2", "width 1-3"])
        withExtendedLifetime((first, second)) {}
    }

    @Test func `a compare-and-set changes a property only if it has the expected value`() throws {
        let title = try Property("title", initially: "a", in: center)
        #expect(try !title.compareAndSet(expected: "x", to: "b"))
        #expect(try title.compareAndSet(expected: "a", to: "b"))
        #expect(try title.value == "b")
    }

    @Test func `a change of a property starts again when another thread has set the property meanwhile`() throws {
        let count = try Property("count", initially: Int32(0), in: center)
        var isFirst = true
        #expect(
            try count.modify { value in
                if isFirst { _ = try? count.set(10) }
                isFirst = false
                value += 1
            } == 11)
        #expect(try count.value == 11)
    }

    @Test func `changes of a property by many threads are not lost`() async throws {
        let count = try Property("count", initially: Int32(0), in: center)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<250 { _ = try? count.modify { $0 += 1 } } }
            }
        }
        #expect(try count.value == 1000)
    }

    @Test func `an observer of a property on a queue may keep the latest change only`() throws {
        let volume = try Property("volume", initially: Int32(5), in: center)
        let told = told
        let queue = try Queue.pumped()
        let observation = try volume.observe(.latest, .on(queue)) { _, new in told.append("\(new)") }
        for value in Int32(6)..<10 { try volume.set(value) }
        try queue.pump()
        #expect(told.all == ["9"])
        #expect(try queue.info().dropped == 3)
        let failure = #expect(throws: PealError.self) { try volume.observe(.latest) { _, _ in } }
        #expect(failure?.status == .argument)
        withExtendedLifetime(observation) {}
    }

    @Test func `X5: an object observes a property weakly, and the observation ends with the object`() throws {
        let volume = try Property("volume", initially: Int32(5), in: center)
        let population = Population()
        let shown = Record<Int32>()
        var bar: Bar? = Bar(shown, population)
        let observation = try volume.observe(for: bar!) { bar, _, new in bar.shown.append(new) }
        try volume.set(6)
        bar = nil
        #expect(population.alive == 0)
        try volume.set(7)
        #expect(shown.all == [6])
        #expect(!observation.isActive)
    }

    @Test func `the captures of a property's observer are freed with the observation`() throws {
        let population = Population()
        let volume = try Property("volume", initially: Int32(5), in: center)
        do {
            let life = Counted(population)
            let observation = try volume.observe { _, _ in _ = life }
            #expect(population.alive == 1)
            withExtendedLifetime(observation) {}
        }
        #expect(population.alive == 0)
        do {
            let life = Counted(population)
            #expect(throws: PealError.self) { try volume.observe(.latest) { _, _ in _ = life } }
        }
        #expect(population.alive == 0)
    }

    @Test func `O11: using a property that has ended fails with its status`() throws {
        let volume = try Property("volume", initially: Int32(5), in: center)
        try volume.remove()
        for body: () throws -> Void in [
            { _ = try volume.value }, { try volume.set(1) }, { _ = try volume.observe { _, _ in } },
            { try volume.remove() }, { _ = try volume.name() }, { try volume.modify { $0 += 1 } },
        ] {
            #expect(#expect(throws: PealError.self, performing: body)?.status == .handle)
        }
    }

    @Test func `a property refuses a string with a zero inside`() throws {
        let title = try Property("title", initially: "a", in: center)
        #expect(throws: PealError.self) { try title.set("a\0b") }
        #expect(try title.value == "a")
    }
}
