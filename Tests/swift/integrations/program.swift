// Peal beside other packages. Observation and Foundation are the real modules, the others are stubs.
import Foundation
import Logging
import Metrics
import Observation
import Peal
import PealFoundation
import PealLogging
import PealMetrics
import PealObservation
import PealServiceLifecycle
import ServiceLifecycle
import Synchronization

enum Sound: PealProtocol {
    static let name = "Sound"
    static let onBytes = Method<Void, Data, Int32>("on_bytes", parameters: "bytes", "rate")
    static let methods: [any MethodDeclaration] = [onBytes]
}
/// The same protocol without Foundation.
enum PlainSound: PealProtocol {
    static let name = "Sound"
    static let onBytes = Method<Void, [UInt8], Int32>("on_bytes")
    static let methods: [any MethodDeclaration] = [onBytes]
}

struct Mismatch: Error {
    let line: UInt
    init(_ line: UInt) { self.line = line }
}

func expect(_ condition: Bool, line: UInt = #line) throws {
    if !condition { throw Mismatch(line) }
}

/// Texts in their order, from any thread.
final class Record: Sendable {
    private let texts = Mutex<[String]>([])
    func add(_ text: String) { texts.withLock { $0.append(text) } }
    var all: [String] { texts.withLock { $0 } }
}

@main enum Program {
    static func main() async throws {
        try data()
        try observation()
        try await lifecycle()
        try await logging()
        try metrics()
        print("all held")
    }

    static func data() throws {
        let (center, heard) = (try Center(), Record())
        let queue = try Queue.pumped()
        let observations = [
            try center.observe(PlainSound.onBytes) { heard.add("\($0) \($1)") },
            try center.observe(Sound.onBytes, .on(queue)) { heard.add("\($0.base64EncodedString()) \($1)") },
        ]
        try center.broadcast(Sound.onBytes, Data([1, 2, 3]), 8)
        try center.broadcast(PlainSound.onBytes, [], 9)
        try queue.pump()
        try expect(heard.all == ["[1, 2, 3] 8", "[] 9", "AQID 8", " 9"])
        withExtendedLifetime(observations) {}
    }

    /// A set by any part of the program notifies a tracked closure once, before the value changes.
    static func observation() throws {
        let (center, changes) = (try Center(), Record())
        let property = try Property("volume", initially: Int32(5), in: center)
        var volume: ObservableProperty<Int32>? = try ObservableProperty(property)
        func track() {
            withObservationTracking {
                _ = volume?.value
            } onChange: { [property] in
                changes.add((try? property.value).map { "\($0)" } ?? "none")
            }
        }
        track()
        try property.set(6)
        try property.set(7)
        try expect(changes.all == ["5"])
        try expect(volume?.value == 7)
        track()
        volume?.value = 8
        try expect(changes.all == ["5", "7"])
        try expect(try property.value == 8)
        // Without an access nothing is tracked.
        withObservationTracking {
        } onChange: {
            changes.add("untracked")
        }
        try property.set(9)
        try expect(changes.all.count == 2)
        try property.remove()
        try expect(volume?.value == 5)
        volume = nil
    }

    struct Database: Service {
        let record: Record

        func run() async throws {
            record.add("database runs")
            try await gracefulShutdown()
            record.add("database ends")
        }
    }

    struct Cache: Module {
        let record: Record
        var dependencies: [Dependency] { ["database"] }
        func start(in center: Center) async throws { record.add("cache starts") }
        func stop(in center: Center) async throws { record.add("cache stops") }
    }

    /// A group runs a service that is the modules of a center, and one of the modules is a service.
    static func lifecycle() async throws {
        let (center, record) = (try Center(), Record())
        let logger = Logger(label: "test")
        try center.add(Cache(record: record))
        try center.add(ServiceModule(Database(record: record), named: "database", logger: logger))
        let group = ServiceGroup(services: [ModuleService(center)], logger: logger)
        let run = Task { try await group.run() }
        try expect(await eventually { record.all.count >= 2 })
        await group.triggerGracefulShutdown()
        try await run.value
        try expect(record.all.sorted() == ["cache starts", "cache stops", "database ends", "database runs"])
        try expect(record.all.suffix(2) == ["cache stops", "database ends"])

        // A cancelled task stops the modules too.
        let other = try Center()
        try other.add(Second(record: record))
        let cancelled = Task { try await ModuleService(other).run() }
        try expect(await eventually { record.all.count >= 5 })
        cancelled.cancel()
        try await cancelled.value
        try expect(record.all.suffix(2) == ["second starts", "second stops"])
    }

    struct Second: Module {
        let record: Record
        var moduleName: String { "second" }
        func start(in center: Center) async throws { record.add("second starts") }
        func stop(in center: Center) async throws { record.add("second stops") }
    }

    struct Recorder: LogHandler {
        let record: Record
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { nil }
            set {}
        }

        func log(
            level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
            function: String, line: UInt
        ) {
            let name = metadata?["module"] ?? metadata?["service"] ?? ""
            record.add("\(level) \(message): \(name)")
        }
    }

    static func logging() async throws {
        let (center, record) = (try Center(), Record())
        let logger = Logger(label: "test") { _ in Recorder(record: record) }
        let observations = try center.log(to: logger)
        let service = try center.register(Record.self, named: "list") { _ in Record() }
        _ = try service.get()
        try center.add(Second(record: Record()))
        try await center.startModules()
        try await center.stopModules()
        let lines = record.all
        for line in [
            "debug service registered: list", "debug service created: list", "info module started: second",
            "info module stopped: second",
        ] {
            try expect(lines.contains(line))
        }
        withExtendedLifetime(observations) {}
    }

    static func metrics() throws {
        let center = try Center()
        let queue = try Queue.pumped()
        let counting = try center.count(PlainSound.onBytes, by: Counter(label: "sound.bytes"))
        let queued = try center.observe(PlainSound.onBytes, .on(queue)) { _, _ in }
        for _ in 0..<3 { try center.broadcast(PlainSound.onBytes, [1], 2) }
        try queue.pump(limit: 1)
        try QueueMetrics(queue, label: "sound.queue").record()
        let values = Stub.values.withLock { $0 }
        try expect(
            values == [
                "sound.bytes": 3, "sound.queue.waiting": 2, "sound.queue.delivered": 1, "sound.queue.dropped": 0,
                "sound.queue.rejected": 0,
            ])
        withExtendedLifetime((counting, queued)) {}
    }
}
