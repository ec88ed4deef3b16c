import CPeal
import Peal
import Testing

private enum Poll: PealProtocol {
    static let firstTrue = Method<Bool>("first_true", policy: .firstTrue)
    static let firstNonzero = Method<Int32>("first_nonzero", policy: .firstNonzero)
    static let last = Method<Int32>("last", policy: .last)
    static let sum = Method<Int32>("sum", policy: .sum)
    static let min = Method<Double>("min", policy: .min)
    static let max = Method<UInt8>("max", policy: .max)
    static let any = Method<Bool>("any", policy: .any)
    static let every = Method<Bool>("every", policy: .every)
    static let collect = Method<Each<Int32>>("collect")
    static let chain = Method<Int32, Int32>("chain", parameters: "value", policy: .chain)
    static let through = Method<Int32, Int32, Int32>("through", parameters: "a", "b", policy: .chainThrough("b"))
    static let fold = Method<Each<Int32>>("fold")
    static let dropped = Method<Each<Int32>>("dropped")
    static let methods: [any MethodDeclaration] = [
        firstTrue, firstNonzero, last, sum, min, max, any, every, collect, chain, through, fold, dropped,
    ]
}

@Suite struct PolicyTests {
    /// Registers observers that return numbers.
    private func observe(
        _ center: Center, _ numbers: [Int32] = [0, 2, 3], _ option: ObserverOption = .priority(0)
    ) throws -> [ObserverToken] {
        try numbers.map { number in
            try center.observe(Poll.self, option) {
                $0.on(Poll.firstTrue) { number != 0 }
                $0.on(Poll.firstNonzero) { number }
                $0.on(Poll.last) { number }
                $0.on(Poll.sum) { number }
                $0.on(Poll.min) { Double(number) - 0.5 }
                $0.on(Poll.max) { UInt8(number) }
                $0.on(Poll.any) { number == 2 }
                $0.on(Poll.every) { number != 2 }
                $0.on(Poll.collect) { number }
                $0.on(Poll.chain) { $0 * 10 + number }
                $0.on(Poll.through) { $0 + $1 }
                $0.on(Poll.fold) { number }
                $0.on(Poll.dropped) { number }
            }
        }
    }

    /// Expects the results of three observers.
    private func expectResults(_ center: Center, firstTrueCalls: Int) throws {
        #expect(try center.ask(Poll.firstTrue) == true)
        #expect(try center.method(Poll.firstTrue).answer().delivery.calls == firstTrueCalls)
        #expect(try center.ask(Poll.firstNonzero) == 2)
        #expect(try center.ask(Poll.last) == 3)
        #expect(try center.ask(Poll.sum) == 5)
        #expect(try center.ask(Poll.min) == -0.5)
        #expect(try center.ask(Poll.max) == 3)
        #expect(try center.ask(Poll.any) == true)
        #expect(try center.ask(Poll.every) == false)
        #expect(try center.collect(Poll.collect) == [0, 2, 3])
        #expect(try center.ask(Poll.chain, 1) == 1023)
        #expect(try center.ask(Poll.through, 1, 100) == 103)
    }

    @Test func `B2: the result follows the method's policy`() throws {
        let center = try Center()
        let observations = try observe(center)
        try expectResults(center, firstTrueCalls: 2)
        withExtendedLifetime(observations) {}
    }

    @Test func `O16, O18: a passive observer and one that abstains have no share in the result of any policy`() throws {
        let center = try Center()
        let passive = try observe(center, [9], .passive)
        let idle = try center.observeMethods(of: Poll.name) { _ in }
        let observations = try observe(center)
        let lastIdle = try center.observeMethods(of: Poll.name) { _ in }
        try expectResults(center, firstTrueCalls: 4)
        #expect(try center.method(Poll.fold).collect() == [0, 2, 3])
        withExtendedLifetime((passive, idle, observations, lastIdle)) {}
    }

    @Test func `B2: without an observer to call, the result is the policy's default`() throws {
        let center = try Center()
        #expect(try center.ask(Poll.any) == false)
        #expect(try center.ask(Poll.every) == true)
        #expect(try center.ask(Poll.sum) == 0)
        #expect(try center.ask(Poll.chain, 7) == 7)
        #expect(try center.collect(Poll.collect) == [])
        #expect(try center.method(Poll.every).answer().delivery.calls == 0)
    }

    @Test func `the policy of a call is used instead of the method's`() throws {
        let center = try Center()
        let observations = try observe(center)
        let sum = try center.method(Poll.sum)
        #expect(try sum.using(.max)() == 3)
        #expect(try sum.using(.last).ask() == 3)
        #expect(try sum.using(.firstNonzero).broadcast().calls == 2)
        #expect(try center.method(Poll.dropped).using(.sum)() == 5)
        let error = #expect(throws: PealError.self) { try center.method(Poll.min).using(.any)() }
        #expect(error?.status == .policy)
        withExtendedLifetime(observations) {}
    }

    @Test func `requesting a single result under a policy without one throws`() throws {
        let center = try Center()
        try center.defineInC(
            "Raw",
            ["optional int collect(void), collect", "optional int fold(void), fold", "optional int drop(void), all"])
        for name in ["collect", "fold", "drop"] {
            let method = try center.method(name, of: "Raw", returning: Int32.self)
            let error = #expect(throws: PealError.self) { try method.ask() }
            #expect(error?.status == .policy)
        }
    }

    @Test func `a method that is declared with Each has no policy until a call names one`() throws {
        let center = try Center()
        let observations = try observe(center)
        let dropped = try center.method(Poll.dropped)
        #expect(try dropped.collect() == [0, 2, 3])
        #expect(try dropped.broadcast().calls == 3)
        #expect(try dropped.using(.sum).ask() == 5)
        #expect(try dropped.using(.firstNonzero)() == 2)
        #expect(try center.broadcast(Poll.collect).calls == 3)
        withExtendedLifetime(observations) {}
    }

    @Test func `without a policy, the result of a broadcast is the last one`() throws {
        let center = try Center()
        let observations = try observe(center)
        #expect(try center.method("dropped", of: Poll.name, returning: Int32.self).ask() == 3)
        withExtendedLifetime(observations) {}
    }

    @Test func `a fold receives results until it stops the broadcast`() throws {
        let center = try Center()
        let observations = try observe(center)
        let fold = try center.method(Poll.fold)
        let text = try fold.fold(into: "") { text, number in
            text += "\(number);"
            return number < 2
        }
        #expect(text == "0;2;")
        #expect(try fold.collect() == [0, 2, 3])
        withExtendedLifetime(observations) {}
    }
}
