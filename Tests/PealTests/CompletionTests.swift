import CPeal
import Peal
import Testing

/// Methods with completions: declared, answered and broadcast in Swift, and by C on the other side.
@Suite struct CompletionTests {
    private enum Push: PealProtocol {
        static let name = "Push"
        static let onPush = Method<Void, String, Completion>("on_push", parameters: "text", "done")
        static let onEarly = Method<Void, Completion, Double, Int32>("on_early", parameters: "done", "a", "b")
        static let onNested = Method<Void, Int32, Completion>("on_nested", recursion: .deferred)
        static let methods: [any MethodDeclaration] = [onPush, onEarly, onNested]
    }

    let center: Center

    init() throws { center = try Center() }

    /// What the completions of C tell: their context is room for the report.
    private static let report: peal_completion_done = { context, report in
        guard let context, let report else { return }
        context.assumingMemoryBound(to: peal_completion_info.self).pointee = report.pointee
    }

    @Test("B4: each observer answers by a completion of its own, and the task gets what all gave, folded")
    func answers() async throws {
        let heard = Record<String>()
        let observations = try (1...3).map { number in
            try center.observe(Push.onPush) { text, done in
                heard.append("\(number) \(text)")
                #expect(done.isAwaited)
                Task { done.complete(with: Int64(number) * 10) }
            }
        }
        let sum = try await center.ask(Push.onPush, "news", folding: .sum)
        #expect(sum.status == .ok && sum.result == 60 && sum.asked == 3 && sum.completed == 3 && sum.dropped == 0)
        #expect(heard.all == ["1 news", "2 news", "3 news"])
        let method = try center.method(Push.onPush)
        #expect(try await center.ask(method, "more", folding: .max).result == 30)
        #expect(try await center.ask(method, "more", folding: .every).result == 1)
        withExtendedLifetime(observations) {}
    }

    @Test("B4: a completion answers once, and one that nobody keeps is dropped")
    func onceOrDropped() throws {
        let outcomes = Record<Answers>()
        let kept = Record<Completion>()
        let observations = [
            try center.observe(Push.onPush) { _, done in
                #expect(done.complete(with: 7))
                #expect(!done.complete(with: 8))
                #expect(!done.drop() && !done.cancel())
            },
            try center.observe(Push.onPush) { _, _ in },
            try center.observe(Push.onPush) { _, done in #expect(done.drop()) },
            try center.observe(Push.onPush) { _, done in kept.append(done) },
        ]
        try center.broadcast(Push.onPush, "news", Completion { outcomes.append($0) })
        #expect(outcomes.all.isEmpty)
        #expect(kept.all[0].complete(with: 9))
        let end = try #require(outcomes.all.first)
        #expect(outcomes.all.count == 1)
        #expect(end.status == .ok && end.result == 9 && end.asked == 4 && end.completed == 2 && end.dropped == 2)
        withExtendedLifetime(observations) {}
    }

    @Test("B4: with nobody to ask the closure runs at once, and without one nobody waits")
    func nobodyAsked() async throws {
        let answers = try await center.ask(Push.onPush, "news")
        #expect(answers.status == .ok && answers.result == nil && answers.asked == 0)
        let isAwaited = Record<Bool>()
        let observation = try center.observe(Push.onPush) { _, done in
            isAwaited.append(done.isAwaited)
            #expect(!done.complete() && !done.drop())
        }
        try center.broadcast(Push.onPush, "news", .unanswered)
        #expect(isAwaited.all == [false])
        withExtendedLifetime(observation) {}
    }

    @Test("B4: the end of the time limit, and of the task, end the waiting; later answers harm nobody")
    func endsEarly() async throws {
        let kept = Record<Completion>()
        let asked = Latch()
        let observations = [
            try center.observe(Push.onPush) { _, done in done.complete(with: 5) },
            try center.observe(Push.onPush) { _, done in
                kept.append(done)
                asked.open()
            },
        ]
        let late = try await center.ask(Push.onPush, "news", timeout: .milliseconds(100))
        #expect(late.isLate && late.result == 5 && late.asked == 2 && late.completed == 1)
        #expect(await asked.opened())
        let task = Task { [center] in try await center.ask(Push.onPush, "news") }
        #expect(await asked.opened())
        task.cancel()
        let cancelled = try await task.value
        #expect(cancelled.status == .state && cancelled.completed == 1)
        #expect(kept.all.map { $0.complete(with: 1) } == [false, false])
        withExtendedLifetime(observations) {}
    }

    @Test("A completion that ended before it was passed on asks nobody, and that is thrown")
    func endedBefore() async throws {
        let center = center
        let error = await #expect(throws: PealError.self) {
            try await Completion.answers { done throws(PealError) in
                done.cancel()
                try center.broadcast(Push.onPush, "news", done)
            }
        }
        #expect(error?.status == .handle)
    }

    @Test("B4: the completion may be any parameter, and answers come from queues too")
    func anyParameterAnyQueue() async throws {
        let queue = try Queue()
        let observations = [
            try center.observe(Push.onEarly, .on(queue)) { done, a, b in done.complete(with: Int64(a) + Int64(b)) },
            try center.observe(Push.onEarly) { done, _, _ in done.complete(with: 1) },
        ]
        let center = center
        let answers = try await Completion.answers(folding: .sum) { done throws(PealError) in
            try center.broadcast(Push.onEarly, done, 40, 2)
        }
        #expect(answers.result == 43 && answers.asked == 2)
        // What a queue drops is dropped for the broadcaster as well.
        try queue.pause()
        let dropped = Record<Answers>()
        try center.broadcast(Push.onEarly, Completion { dropped.append($0) }, 40, 2)
        observations[0].cancel()
        #expect(dropped.all.map(\.dropped) == [1] && dropped.all.map(\.result) == [1])
        try queue.resume()
        withExtendedLifetime(observations) {}
    }

    @Test("B4: the closure runs on its queue")
    func onQueue() async throws {
        let queue = try Queue()
        let told = Latch()
        try center.broadcast(
            Push.onPush, "news",
            Completion(on: queue) { [weak queue] _ in
                #expect(queue?.isCurrent == true)
                told.open()
            })
        #expect(await told.opened())
    }

    @Test("B5: a broadcast that is deferred takes its completion along")
    func deferred() throws {
        let outcomes = Record<Answers>()
        let observation = try center.observe(Push.onNested) { [center] depth, done in
            if depth == 0 {
                let delivery = try? center.broadcast(Push.onNested, 1, Completion { outcomes.append($0) })
                #expect(delivery?.status == .deferred)
                #expect(outcomes.all.isEmpty)
            }
            done.complete(with: Int64(depth))
        }
        try center.broadcast(Push.onNested, 0, .unanswered)
        #expect(outcomes.all.map(\.result) == [1] && outcomes.all.map(\.dropped) == [0])
        observation.cancel()
    }

    @Test("What cannot be broadcast is thrown, and its closure is told and freed")
    func failures() async throws {
        let wrong = await #expect(throws: PealError.self) { try await center.ask(Push.onPush, "a\0b") }
        #expect(wrong?.status == .argument)
        let policy = await #expect(throws: PealError.self) {
            try await center.ask(Push.onPush, "news", folding: .collect)
        }
        #expect(policy?.status == .policy)
        let lives = Lifetimes()
        let outcomes = Record<Answers>()
        func make() throws -> Completion {
            let life = lives.begin()
            return try Completion { answers in withExtendedLifetime(life) { outcomes.append(answers) } }
        }
        #expect(pealError { try center.broadcast(Push.onPush, "a\0b", make()) }?.status == .argument)
        #expect(outcomes.all.map(\.dropped) == [1])
        let twice = try make()
        try center.broadcast(Push.onPush, "first", twice)
        #expect(pealError { try center.broadcast(Push.onPush, "second", twice) }?.status == .handle)
        let cancelled = try make()
        #expect(cancelled.isAwaited && cancelled.cancel() && !cancelled.cancel())
        #expect(outcomes.all.map(\.status) == [.ok, .ok, .state])
        #expect(lives.living == 0)
    }

    @Test("A completion that was passed on and let go leaves no failure on its thread")
    func leavesNoFailure() throws {
        let kept = Record<Completion>()
        let observation = try center.observe(Push.onPush) { _, done in kept.append(done) }
        peal_clear_failure()
        try center.broadcast(Push.onPush, "news", Completion { _ in })
        #expect(peal_last_status() == PEAL_OK)
        #expect(kept.all[0].complete())
        withExtendedLifetime(observation) {}
    }

    @Test("B4: what Swift broadcasts C observes, and answers")
    func cObserves() async throws {
        try center.define(Push.self)
        var proto = peal_protocol()
        try #require(peal_protocol_find(center.handle, "Push", &proto) == PEAL_OK)
        let function: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, peal_completion) -> Void = {
            _ = peal_complete($2, $1.map { Int64(String(cString: $0).utf8.count) } ?? -1)
        }
        let observation = try center.observeInC(
            proto, "on_push", "void on_push(const char *text, peal_completion done)",
            unsafeBitCast(function, to: peal_function.self))
        let other = try center.observe(Push.onPush) { _, done in done.complete(with: 100) }
        let answers = try await center.ask(Push.onPush, "four", folding: .sum)
        #expect(answers.result == 104 && answers.asked == 2)
        withExtendedLifetime((observation, other)) {}
    }

    @Test("B4: what C broadcasts Swift observes, and answers")
    func cBroadcasts() throws {
        try center.defineInC(
            "Push",
            [
                "optional void on_push(const char *text, peal_completion done)",
                "optional void on_early(peal_completion done, double a, int32_t b)",
                "optional void on_nested(int32_t depth, peal_completion), defer",
            ])
        let observations = [
            try center.observe(Push.onPush) { text, done in done.complete(with: Int64(text.utf8.count)) },
            try center.observe(Push.onPush) { _, _ in },
        ]
        let report = UnsafeMutablePointer<peal_completion_info>.allocate(capacity: 1)
        defer { report.deallocate() }
        report.initialize(to: peal_completion_info())
        var options = peal_completion_options()
        options.size = MemoryLayout<peal_completion_options>.size
        options.done = Self.report
        options.context = UnsafeMutableRawPointer(report)
        options.timeout = PEAL_FOREVER
        var done = peal_completion()
        try #require(peal_completion_create(&options, &done) == PEAL_OK)
        let method = try center.method(Push.onPush).handle
        let status = "news".withCString { text in
            var text: UnsafePointer<CChar>? = text
            return withUnsafeMutablePointer(to: &text) { text in
                withUnsafeMutablePointer(to: &done) { peal_send(method, [.init(text), .init($0)], 2, nil, nil) }
            }
        }
        #expect(status == PEAL_OK)
        #expect(report.pointee.result == 4)
        #expect(report.pointee.observers == 2 && report.pointee.completed == 1 && report.pointee.dropped == 1)
        withExtendedLifetime(observations) {}
    }

    @Test("A method with a completion that Swift declares with other types is a conflict")
    func checked() throws {
        try center.defineInC("Push", ["optional void on_push(const char *text, uint64_t done)"])
        let error = pealError { try center.observe(Push.onPush) { _, _ in } }
        #expect(error?.status == .conflict)
        #expect(error?.message.contains("Completion") == true)
    }
}
