import CPeal
import Peal
import Testing

private struct Corner: PealStruct, Equatable {
    var x: Float
    var y: Float
    static let structure = Structure<Corner>("corner", .member("x", \.x), .member("y", \.y))
}

private enum Sound: PealProtocol {
    static let name = "Sound"
    static let onSamples = Method<Void, String, [Float], Int32>("on_samples", parameters: "name", "samples", "rate")
    static let onBytes = Method<Void, [UInt8]>("on_bytes", parameters: "const void *__sized_by(n) bytes, size_t n")
    static let onCorners = Method<Void, [Corner]>("on_corners")
    static let onLimit = Method<Void, Int32?, Double?, Bool?>("on_limit", parameters: "limit", "factor", "is_on")
    static let sum = Method<Int32, [Int32]>("sum", parameters: "numbers", policy: .sum)
    static let methods: [any MethodDeclaration] = [onSamples, onBytes, onCorners, onLimit, sum]
}

private enum Wrong: PealProtocol {
    static let name = "Sound"
    static let onSamples = Method<Void, String, [Double], Int32>("on_samples")
    static let methods: [any MethodDeclaration] = [onSamples]
}

/// The values that a C function received, as text.
private nonisolated(unsafe) var noted: [String] = []

private actor Log {
    let lines = Record<[Float]>()
}

@Suite(.serialized, .timeLimit(.minutes(1))) struct BufferTests {
    let center: Center

    init() throws { center = try Center() }

    @Test(arguments: [0, 1, 7, 300, 100_000])
    func `an array arrives as a counted buffer, unchanged`(count: Int) throws {
        let heard = Record<[Float]>()
        let observation = try center.observe(Sound.onSamples) { name, samples, rate in
            #expect(name == "left" && rate == 44_100)
            heard.append(samples)
        }
        let samples = (0..<count).map { Float($0) }
        try center.broadcast(Sound.onSamples, "left", samples, 44_100)
        #expect(heard.all == [samples])
        withExtendedLifetime(observation) {}
    }

    @Test func `arrays are declared in C as pointers with their counts`() throws {
        try center.define(Sound.self)
        #expect(
            try center.methods(of: "Sound").map(\.declaration).prefix(4) == [
                "optional void on_samples(const char *name, const float *__counted_by(samples_count) samples, size_t samples_count, int32_t rate)",
                "optional void on_bytes(const void *__sized_by(n) bytes, size_t n)",
                "optional void on_corners(const struct corner *__counted_by(values1_count) values1, size_t values1_count)",
                "optional void on_limit(const int32_t *__counted_by_or_null(1) limit, const double *__counted_by_or_null(1) factor, const bool *__counted_by_or_null(1) is_on)",
            ])
    }

    @Test func `C and Swift exchange arrays`() throws {
        try center.defineInC(
            "Sound",
            [
                "optional void on_samples(const char *name, const float *__counted_by(n) samples, size_t n, int rate)",
                "optional void on_bytes(const uint8_t *__counted_by(n) bytes, uint64_t n)",
            ])
        noted = []
        let function:
            @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<Float>?, Int, Int32) -> Void =
                {
                    noted.append("\($3) \($2![$3 - 1]) \($4)")
                }
        var owner = peal_protocol()
        try #require(peal_protocol_find(center.handle, "Sound", &owner) == PEAL_OK)
        let inC = try center.observeInC(
            owner, "on_samples", "void f(const char *name, const float *samples, size_t n, int rate)",
            unsafeBitCast(function, to: peal_function.self))
        try center.broadcast(Sound.onSamples, "left", [1, 2, 3.5], 7)
        #expect(noted == ["3 3.5 7"])
        let conflict = pealError { try center.define(Wrong.self) }
        #expect(conflict?.status == .conflict)
        #expect(conflict?.message.contains("parameter 2 'samples' is const float *") == true, "\(conflict!)")
        withExtendedLifetime(inC) {}
    }

    @Test func `an array of structs is passed, and the result is returned`() throws {
        let heard = Record<[Corner]>()
        let observations = [
            try center.observe(Sound.onCorners) { heard.append($0) },
            try center.observe(Sound.sum) { $0.reduce(0, +) },
        ]
        try center.broadcast(Sound.onCorners, [Corner(x: 1, y: 2), Corner(x: 3, y: 4)])
        #expect(heard.all == [[Corner(x: 1, y: 2), Corner(x: 3, y: 4)]])
        #expect(try center.ask(Sound.sum, [1, 2, 3]) == 6)
        withExtendedLifetime(observations) {}
    }

    @Test func `Q1: arrays reach queues, actors and sequences as copies`() async throws {
        let queue = try Queue.pumped()
        let heard = Record<[UInt8]>()
        let log = Log()
        let observations = [
            try center.observe(Sound.onBytes, .on(queue)) { heard.append($0) },
            try center.observe(Sound.onSamples, on: log) { (log: isolated Log, _, samples, _) in
                log.lines.append(samples)
            },
        ]
        var sequence = try center.broadcasts(of: Sound.onSamples).makeAsyncIterator()
        do {
            let bytes = [UInt8](repeating: 9, count: 5000)
            try center.broadcast(Sound.onBytes, bytes)
            try center.broadcast(Sound.onBytes, [])
        }
        try center.broadcast(Sound.onSamples, "right", [5, 6], 1)
        try queue.pump()
        #expect(heard.all == [[UInt8](repeating: 9, count: 5000), []])
        let element = try #require(await sequence.next())
        #expect(element.1 == [5, 6])
        #expect(await eventually { log.lines.all == [[5, 6]] })
        withExtendedLifetime(observations) {}
    }

    @Test func `optional numbers arrive, at once and on a queue`() throws {
        let queue = try Queue.pumped()
        let heard = Record<String>()
        let observations = [ObserverOption.priority(1), .on(queue)].map { option in
            Result {
                try center.observe(Sound.onLimit, option) { limit, factor, isOn in
                    heard.append("\(limit.map { "\($0)" } ?? "-") \(factor ?? -1) \(isOn.map { "\($0)" } ?? "-")")
                }
            }
        }
        try center.broadcast(Sound.onLimit, 3, 0.5, true)
        try center.broadcast(Sound.onLimit, nil, nil, nil)
        try queue.pump()
        #expect(heard.all == ["3 0.5 true", "- -1.0 -", "3 0.5 true", "- -1.0 -"])
        try withExtendedLifetime(observations) { for observation in $0 { _ = try observation.get() } }
    }
}
