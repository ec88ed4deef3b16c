// The cost of operations of the Swift API among many objects. growing.sh runs the program under callgrind; see
// Tests/c/growing/growing.h for its lines.
import Peal
import Synchronization

private enum Bell: PealProtocol {
    static let onRing = Method<Void, Int32>("on_ring", parameters: "times")
    static let methods: [any MethodDeclaration] = [onRing]
}

private final class Listener: Sendable {
    func ring(_ times: Int32) {}
}

private protocol Sounding: AnyObject, Sendable {
    func sound()
}

private final class Horn: Sounding {
    func sound() {}
}

private final class Account: Sendable {}

private struct Part: Module {
    let moduleName: String

    func start(in center: Center) throws {}
}

private actor Counter {
    func count(_ times: Int32) {}
}

/// Counted, so that the compiler keeps the calls.
private let begun = Atomic(0)
private let ended = Atomic(0)

@c(count_begin) @inline(never) public func countBegin() { begun.add(1, ordering: .relaxed) }
@c(count_end) @inline(never) public func countEnd() { ended.add(1, ordering: .relaxed) }

/// The objects of one run.
private final class Objects {
    let center: Center
    let queue: Queue
    let numbers: Range<Int>
    var property: Property<Int32>
    var listeners: [Listener] = []
    var horns: [Horn] = []
    var counters: [Counter] = []
    var tokens: [ObserverToken] = []
    var others: [Any] = []

    init(_ number: Int) throws {
        center = try Center()
        queue = try Queue.pumped()
        numbers = 0..<number
        property = try Property("volume", initially: 0, in: center)
        listeners = numbers.map { _ in Listener() }
        horns = numbers.map { _ in Horn() }
        // The first use finds the methods, and makes the metadata of types.
        try observeObjects()
        try observeHorns()
        tokens.append(try center.observe(Bell.onRing) { _ in })
        tokens.append(try property.observe { _, _ in })
        try removeObjects()
        try removeHorns()
        removeClosures()
        tokens.reserveCapacity(number)
        others.reserveCapacity(number)
    }

    func observeClosures() throws {
        for _ in numbers { tokens.append(try center.observe(Bell.onRing) { _ in }) }
    }

    func removeClosures() { tokens = [] }

    func observeObjects() throws {
        for listener in listeners {
            try center.observe(Bell.self, for: listener) { $0.on(Bell.onRing) { $0.ring($1) } }
        }
    }

    func observeQueuedObjects() throws {
        for listener in listeners {
            try center.observe(Bell.self, for: listener, .on(queue)) { $0.on(Bell.onRing) { $0.ring($1) } }
        }
    }

    func removeObjects() throws {
        for listener in listeners { _ = try center.unobserve(Bell.self, for: listener) }
    }

    func replaceObjects() throws {
        for listener in listeners {
            try center.observe(Bell.self, for: listener, .replacing) { $0.on(Bell.onRing) { $0.ring($1) } }
        }
    }

    func observeHorns() throws {
        for horn in horns { try center.observe((any Sounding).self, for: horn) }
    }

    func removeHorns() throws {
        for horn in horns { _ = try center.unobserve((any Sounding).self, for: horn) }
    }

    func observeProperty() throws {
        for _ in numbers { tokens.append(try property.observe { _, _ in }) }
    }

    func observePropertyObjects() throws {
        for listener in listeners { try property.observe(for: listener) { _, _, _ in } }
    }

    func observeActors() throws {
        for _ in numbers {
            let counter = Counter()
            counters.append(counter)
            tokens.append(try center.observe(Bell.onRing, on: counter) { counter, times in counter.count(times) })
        }
    }

    func findMethods() throws {
        for _ in numbers { _ = try center.method("on_ring", of: Bell.name, taking: Int32.self) }
    }

    func defineProperties() throws {
        for number in numbers { _ = try Property<Int32>("level \(number)", initially: 0, in: center) }
    }

    func registerServices() throws {
        for number in numbers { try center.register(Account.self, named: "account \(number)") { _ in Account() } }
    }

    func useServices() throws {
        for number in numbers { _ = try center.get(Account.self, named: "account \(number)") }
    }

    func removeServices() throws {
        for number in numbers { _ = try center.service(Account.self, named: "account \(number)").remove() }
    }

    func makeQueues() throws {
        for _ in numbers { others.append(try Queue.pumped()) }
    }

    func makeTimers() throws {
        for _ in numbers { others.append(try QueueTimer(every: .seconds(3600), on: queue) {}) }
    }

    func addModules() throws {
        for number in numbers { try center.add(Part(moduleName: "part \(number)")) }
    }

    func makeSequences() throws {
        for _ in numbers { others.append(try center.broadcasts(of: Bell.onRing)) }
    }
}

private struct Operation: Sendable {
    let name: String
    let prepare: @Sendable (Objects) throws -> Void
    let run: @Sendable (Objects) throws -> Void

    init(
        _ name: String, after prepare: @escaping @Sendable (Objects) throws -> Void = { _ in },
        _ run: @escaping @Sendable (Objects) throws -> Void
    ) {
        self.name = name
        self.prepare = prepare
        self.run = run
    }
}

private let operations: [Operation] = [
    Operation("observe-closures") { try $0.observeClosures() },
    Operation("remove-closures", after: { try $0.observeClosures() }) { $0.removeClosures() },
    Operation("observe-objects") { try $0.observeObjects() },
    Operation("observe-queued-objects") { try $0.observeQueuedObjects() },
    Operation("remove-objects", after: { try $0.observeObjects() }) { try $0.removeObjects() },
    Operation("remove-queued-objects", after: { try $0.observeQueuedObjects() }) { try $0.removeObjects() },
    Operation("replace-objects", after: { try $0.observeObjects() }) { try $0.replaceObjects() },
    Operation("observe-swift-type") { try $0.observeHorns() },
    Operation("remove-swift-type", after: { try $0.observeHorns() }) { try $0.removeHorns() },
    Operation("observe-property") { try $0.observeProperty() },
    Operation("observe-property-objects") { try $0.observePropertyObjects() },
    Operation("observe-actors") { try $0.observeActors() },
    Operation("find-method-of-closures", after: { try $0.observeClosures() }) { try $0.findMethods() },
    Operation("find-method-of-objects", after: { try $0.observeObjects() }) { try $0.findMethods() },
    Operation("define-properties") { try $0.defineProperties() },
    Operation("register-services") { try $0.registerServices() },
    Operation("use-services", after: { try $0.registerServices() }) { try $0.useServices() },
    Operation("remove-services", after: { try $0.registerServices() }) { try $0.removeServices() },
    Operation("make-queues") { try $0.makeQueues() },
    Operation("make-timers") { try $0.makeTimers() },
    Operation("add-modules") { try $0.addModules() },
    Operation("make-sequences") { try $0.makeSequences() },
]

@main private enum Program {
    /// The largest permitted ratio of the counts, in hundredths. With these numbers, n log n would give 505.
    static let limit = 490
    static let few = 200

    static func main() throws {
        print("operations: \(operations.count)")
        for operation in operations {
            for number in [few, 4 * few] {
                let objects = try Objects(number)
                try operation.prepare(objects)
                print(operation.name, number, limit)
                countBegin()
                try operation.run(objects)
                countEnd()
            }
        }
    }
}
