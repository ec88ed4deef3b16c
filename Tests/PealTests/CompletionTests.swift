import CPeal
import Peal
import Testing

/// Methods with completions, declared, answered and broadcast by Swift on one side and by C on the other.
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

    /// The `done` function of completions from C. Their context points to memory for the report.
    private static let report: peal_completion_done = { context, report in
        guard let context, let report else { return }
        context.assumingMemoryBound(to: peal_completion_info.self).pointee = report.pointee
    }

    @Test func `B4: each observer answers by a completion of its own, and the task gets all answers, folded`()
        async throws
    {
        let heard = Record<String>()
        let observations = try (1...3).map { number in
            try center.observe(Push.onPush) { text, done in
                heard.append("\(number) \(text)")
                #expect(done.isAwaited)
                Task { done.complete(with: Int64(number) * 10) }
            }
        }
        let sum = try await center.ask(Push.onPush, "news", folding: .sum)
        #expect(sum.status == .ok && sum.result == 60 && sum.observers == 3 && sum.completed == 3 && sum.dropped == 0)
        #expect(heard.all == ["1 news", "2 news", "3 news"])
        let method = try center.method(Push.onPush)
        #expect(try await center.ask(method, "more", folding: .max).result == 30)
        #expect(try await center.ask(method, "more", folding: .every).result == 1)
        withExtendedLifetime(observations) {}
    }

    @Test func `B4: a completion answers once, and is dropped when its last reference ends`() throws {
        let outcomes = Record<Answers>()
        let kept = Record<Completion>()
        let observations = [
            try center.observe(Push.onPush) { _, done in
                #expect(done.complete(with: 7))
                #expect(!done.complete(with: 8))
                #expect(!done.release() && !done.cancel())
            },
            try center.observe(Push.onPush) { _, _ in },
            try center.observe(Push.onPush) { _, done in #expect(done.release()) },
            try center.observe(Push.onPush) { _, done in kept.append(done) },
        ]
        try center.broadcast(Push.onPush, "news", Completion { outcomes.append($0) })
        #expect(outcomes.all.isEmpty)
        #expect(kept.all[0].complete(with: 9))
        let end = try #require(outcomes.all.first)
        #expect(outcomes.all.count == 1)
        #expect(end.status == .ok && end.result == 9 && end.observers == 4 && end.completed == 2 && end.dropped == 2)
        withExtendedLifetime(observations) {}
    }

    @Test
    func
        `B4: without observers the closure of a broadcast with a completion runs at once, and without a closure no answers are requested`()
        async throws
    {
        let answers = try await center.ask(Push.onPush, "news")
        #expect(answers.status == .ok && answers.result == nil && answers.observers == 0)
        let isAwaited = Record<Bool>()
        let observation = try center.observe(Push.onPush) { _, done in
            isAwaited.append(done.isAwaited)
            #expect(!done.complete() && !done.release())
        }
        try center.broadcast(Push.onPush, "news", .unanswered)
        #expect(isAwaited.all == [false])
        withExtendedLifetime(observation) {}
    }

    @Test
    func
        `B4: the time limit and the cancellation of the task end the wait for answers, and later answers are harmless`()
        async throws
    {
        let kept = Record<Completion>()
        let asked = Latch()
        let observations = [
            try center.observe(Push.onPush) { _, done in done.complete(with: 5) },
            try center.observe(Push.onPush) { _, done in
                kept.append(done)
                asked.open()
            },
        ]
        // A limit that expires before the call makes it fail.
        let late = await withLongerLimits {
            try? await center.ask(Push.onPush, "news", timeout: $0)
        } until: {
            $0?.completed == 1
        }
        #expect(late?.isLate == true && late?.result == 5 && late?.observers == 2 && late?.completed == 1)
        for _ in kept.all { #expect(await asked.opened()) }
        let task = Task { [center] in try await center.ask(Push.onPush, "news") }
        #expect(await asked.opened())
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(kept.all.count >= 2)
        #expect(kept.all.allSatisfy { !$0.complete(with: 1) })
        withExtendedLifetime(observations) {}
    }

    @Test func `passing on a completion that has ended calls no observer and throws`() async throws {
        let center = center
        let error = await #expect(throws: PealError.self) {
            try await Completion.answers { done throws(PealError) in
                done.cancel()
                try center.broadcast(Push.onPush, "news", done)
            }
        }
        #expect(error?.status == .handle)
    }

    @Test func `B4: the completion may be any parameter of a method, and observers on queues answer too`() async throws
    {
        let queue = try Queue()
        let observations = [
            try center.observe(Push.onEarly, .on(queue)) { done, a, b in done.complete(with: Int64(a) + Int64(b)) },
            try center.observe(Push.onEarly) { done, _, _ in done.complete(with: 1) },
        ]
        let center = center
        let answers = try await Completion.answers(folding: .sum) { done throws(PealError) in
            try center.broadcast(Push.onEarly, done, 40, 2)
        }
        #expect(answers.result == 43 && answers.observers == 2)
        // Calls that a queue drops are dropped for the broadcaster as well.
        try queue.pause()
        let dropped = Record<Answers>()
        try center.broadcast(Push.onEarly, Completion { dropped.append($0) }, 40, 2)
        observations[0].cancel()
        #expect(dropped.all.map(\.dropped) == [1] && dropped.all.map(\.result) == [1])
        try queue.resume()
        withExtendedLifetime(observations) {}
    }

    @Test func `B4: the closure of a broadcast with a completion runs on the queue that it names`() async throws {
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

    @Test func `B5: a deferred broadcast passes its completion to the observers`() throws {
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

    @Test func `a broadcast with a completion that fails throws, and its closure is called and freed`() async throws {
        let wrong = await #expect(throws: PealError.self) { try await center.ask(Push.onPush, "a\0b") }
        #expect(wrong?.status == .argument)
        let policy = await #expect(throws: PealError.self) {
            try await center.ask(Push.onPush, "news", folding: .collect)
        }
        #expect(policy?.status == .policy)
        let population = Population()
        let outcomes = Record<Answers>()
        func make() throws -> Completion {
            let life = Counted(population)
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
        #expect(population.alive == 0)
    }

    @Test func `releasing a completion that was passed on leaves no failure on the thread`() throws {
        let kept = Record<Completion>()
        let observation = try center.observe(Push.onPush) { _, done in kept.append(done) }
        peal_clear_failure()
        try center.broadcast(Push.onPush, "news", Completion { _ in })
        #expect(peal_last_status() == PEAL_OK)
        #expect(kept.all[0].complete())
        withExtendedLifetime(observation) {}
    }

    @Test func `B4: an observer of C answers the completion of a broadcast of Swift`() async throws {
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
        #expect(answers.result == 104 && answers.observers == 2)
        withExtendedLifetime((observation, other)) {}
    }

    @Test func `B4: an observer of Swift answers the completion of a broadcast of C`() throws {
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

    @Test func `a method with a completion that Swift declares with other types is a conflict`() throws {
        try center.defineInC("Push", ["optional void on_push(const char *text, uint64_t done)"])
        let error = pealError { try center.observe(Push.onPush) { _, _ in } }
        #expect(error?.status == .conflict)
        #expect(error?.message.contains("Completion") == true)
    }
}
