// Uses the declarations that peal-declarations generates from headers of peal, of its examples and of kinds.h.
import CPeal
import Peal
import Synchronization

/// Ends the program with a sentence unless a condition is true.
func require(_ condition: Bool, _ sentence: @autoclosure () -> String, line: Int = #line) {
    if !condition { fatalError("line \(line): \(sentence())") }
}

/// The texts that observers note.
final class Notes: Sendable {
    private let texts = Mutex<[String]>([])
    var all: [String] { texts.withLock { $0 } }
    func add(_ text: String) { texts.withLock { $0.append(text) } }
}

@main enum Program {
    static let protocols: [any PealProtocol.Type] = [
        Heating.self, Thermometer.self, Units.self, Journal.self, Filter.self, LogFields.self, LogSink.self,
        LogStore.self,
        LogTrouble.self, LogState.self, KindBuffers.self, KindPointers.self, KindValues.self, KindAdopting.self,
        PealLifecycle.self,
        PealModules.self,
    ]

    static func main() async throws {
        try defineInBothOrders()
        try useValues()
        try useBuffers()
        try usePointers()
        try await useCompletions()
        print("all held")
    }

    /// C accepts the definitions of Swift, and Swift those of C.
    static func defineInBothOrders() throws {
        let swiftFirst = try Center()
        for type in protocols {
            try swiftFirst.define(type)
            for method in type.methods { print("\(type.name): \(method.signature.text)") }
        }
        defineInC(swiftFirst)
        let cFirst = try Center()
        defineInC(cFirst)
        for type in protocols { try cFirst.define(type) }
        require(kind_results_define(cFirst.handle, nil) == PEAL_OK, String(cString: peal_last_message()))
        try cFirst.define(KindResults.self)
        let longest = try cFirst.observe(KindResults.longest) { Int64.max }
        require(try cFirst.collect(KindResults.longest) == [Int64.max], "the longest number differs")
        withExtendedLifetime(longest) {}
    }

    static func defineInC(_ center: Center) {
        let functions: [(String, (peal_center) -> peal_status)] = [
            ("heating", { heating_define($0, nil) }), ("thermometer", { thermometer_define($0, nil) }),
            ("units", { units_define($0, nil) }), ("journal", { journal_define($0, nil) }),
            ("filter", { filter_define($0, nil) }), ("log_fields", { log_fields_define($0, nil) }),
            ("log_sink", { log_sink_join($0, nil) }), ("log_store", { log_store_define($0, nil) }),
            ("log_trouble", { log_trouble_define($0, nil) }), ("log_state", { log_state_define($0, nil) }),
            ("kinds", { kinds_declare($0) }), ("kind_buffers", { kind_buffers_define($0, nil) }),
            ("kind_pointers", { kind_pointers_define($0, nil) }), ("kind_values", { kind_values_define($0, nil) }),
            ("kind_adopting", { kind_adopting_define($0, nil) }),
            ("peal_lifecycle", { peal_lifecycle_define($0, nil) }),
        ]
        for (name, define) in functions {
            let status = define(center.handle)
            require(status.rawValue >= 0, "\(name): \(String(cString: peal_last_message()))")
        }
    }

    static func useValues() throws {
        let center = try Center()
        // The result of a method with a policy is one value.
        let filter = try center.observe(Filter.wants) { $0 == "kept" }
        require(try center.ask(Filter.wants, "kept"), "the filter does not want the line")
        let move = try center.observe(KindValues.move) { from, by in kind_point(x: from.x + by, y: from.y) }
        let moved = try center.ask(KindValues.move, kind_point(x: 1, y: 2), 3)
        require(moved.x == 4 && moved.y == 2, "moved to \(moved)")
        let notes = Notes()
        let event = try center.observe(KindValues.event) { notes.add("\($0.kind) \($0.is_on) \($0.text == nil)") }
        try center.broadcast(KindValues.event, kind_event(kind: 5, is_on: true))
        require(notes.all == ["5 true true"], "received \(notes.all)")
        withExtendedLifetime([filter, move, event]) {}
    }

    static func useBuffers() throws {
        let center = try Center()
        let queue = try Queue.pumped()
        let notes = Notes()
        let note: @Sendable (String) -> Void = { notes.add($0) }
        let observations = [
            try center.observe(LogFields.action, .on(queue)) { package, action, version in
                note(
                    [package, action, version].map { String(decoding: $0.map(UInt8.init), as: UTF8.self) }.description)
            },
            try center.observe(LogStore.store) { source, number, text in note("\(source) \(number) \(text.count)") },
            try center.observe(LogState.keep) { name, bytes in note("\(name) \(bytes)") },
            try center.observe(KindBuffers.samples) { note("\($0)") },
            try center.observe(KindBuffers.maybe) { note("\($0)") },
            try center.observe(KindBuffers.points) { note("\($0.map(\.y))") },
            try center.observe(KindBuffers.sizes) { note("\($0)") },
            try center.observe(KindBuffers.limit) { note("\($0 ?? -1) \($1 ?? false)") },
            try center.observe(KindBuffers.stereo) { left, right, count in
                let right = UnsafeBufferPointer(start: right?.assumingMemoryBound(to: Float.self), count: count)
                note("\(left != nil) \(Array(right))")
            },
        ]
        let text = { (text: String) in text.utf8.map(CChar.init) }
        try center.broadcast(LogFields.action, text("peal"), text("install"), text(""))
        try center.broadcast(LogStore.store, "file", 7, text("line"))
        try center.broadcast(LogState.keep, "counts", [1, 2, 3])
        try center.broadcast(KindBuffers.samples, [0.5, 1])
        try center.broadcast(KindBuffers.maybe, [])
        try center.broadcast(KindBuffers.points, [kind_point(x: 1, y: 2), kind_point(x: 3, y: 4)])
        try center.broadcast(KindBuffers.sizes, [8])
        try center.broadcast(KindBuffers.limit, 3, nil)
        let pair: [Float] = [1, 2]
        try pair.withUnsafeBytes { bytes in
            _ = try center.broadcast(KindBuffers.stereo, bytes.baseAddress, bytes.baseAddress, 2)
        }
        try queue.pump()
        let expected = [
            "file 7 4", "counts [1, 2, 3]", "[0.5, 1.0]", "[]", "[2.0, 4.0]", "[8]", "3 false", "true [1.0, 2.0]",
            "[\"peal\", \"install\", \"\"]",
        ]
        require(notes.all == expected, "received \(notes.all)")
        withExtendedLifetime(observations) {}
    }

    static func usePointers() throws {
        let center = try Center()
        let notes = Notes()
        let observations = [
            try center.observe(KindPointers.text) { notes.add(($0 ?? "none") + $1) },
            try center.observe(KindPointers.array) { numbers, _ in
                numbers?.storeBytes(of: 9, toByteOffset: 12, as: Int32.self)
            },
            try center.observe(KindPointers.function) { done, context in
                typealias Done = @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void
                unsafeBitCast(done, to: Done?.self)?(context, 5)
            },
        ]
        try center.broadcast(KindPointers.text, nil, "text")
        require(notes.all == ["nonetext"], "received \(notes.all)")
        var numbers: [Int32] = [1, 2, 3, 4]
        try numbers.withUnsafeMutableBytes { _ = try center.broadcast(KindPointers.array, $0.baseAddress, nil) }
        require(numbers == [1, 2, 3, 9], "the array is \(numbers)")
        let done: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void = { context, code in
            context?.storeBytes(of: code, as: Int32.self)
        }
        var code: Int32 = 0
        try withUnsafeMutableBytes(of: &code) {
            _ = try center.broadcast(KindPointers.function, unsafeBitCast(done, to: OpaquePointer.self), $0.baseAddress)
        }
        require(code == 5, "the function received \(code)")
        withExtendedLifetime(observations) {}
    }

    static func useCompletions() async throws {
        let center = try Center()
        let observation = try center.observe(PealLifecycle.remoteNotification) { payload, done in
            done.complete(with: Int64(payload.utf8.count))
        }
        let answers = try await center.ask(PealLifecycle.remoteNotification, "news", timeout: .seconds(5))
        require(answers.result == 4, "the answers are \(answers)")
        withExtendedLifetime(observation) {}
    }
}
