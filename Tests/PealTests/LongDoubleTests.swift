#if arch(x86_64)
import CPeal
import Peal
import Testing

private struct Precise: PealStruct, Equatable {
    var flag: Int8
    var value: Float80
    static let structure = Structure<Precise>("precise", .member("flag", \.flag), .member("value", \.value))
}

private enum Numbers: PealProtocol {
    static let name = "Numbers"
    static let mixed = Method<Void, Int8, Float80, Int32, Float80>("mixed")
    static let named = Method<Void, String, Float80>("named")
    static let precise = Method<Precise, Precise>("precise", policy: .last)
    static let greatest = Method<Float80, Float80>("greatest", policy: .max)
    static let sum = Method<Float80, Float80>("sum", policy: .sum)
    static let methods: [any MethodDeclaration] = [mixed, named, precise, greatest, sum]
}

/// `Float80` is C's `long double`. Ten of its sixteen bytes are significant.
@Suite struct LongDoubleTests {
    let center: Center
    /// A number with more digits than a double has.
    let third = Float80(1) / 3
    let heard = Record<String>()

    init() throws { center = try Center() }

    @Test func `P3: a long double arrives unchanged, also beside small numbers, beside a string, and on a queue`()
        throws
    {
        #expect(Float80(Double(third)) != third)
        let queue = try Queue.pumped()
        let observe = { [center, heard, third] (options: ObserverOption) throws(PealError) in
            try center.observe(Numbers.self, options) {
                $0.on(Numbers.mixed) { small, first, number, second in
                    heard.append("\(small) \(first == third) \(number) \(second == -third)")
                }
                $0.on(Numbers.named) { name, value in heard.append("\(name) \(value == third)") }
            }
        }
        let observations = [try observe(.priority(0)), try observe(.on(queue))]
        try center.broadcast(Numbers.mixed, -1, third, 7, -third)
        try center.broadcast(Numbers.named, "third", third)
        try center.broadcast(Numbers.named, String(repeating: "x", count: 2000), third)
        #expect(heard.all.count == 3)
        #expect(try queue.pump() == 3)
        #expect(heard.all.prefix(2) == ["-1 true 7 true", "third true"])
        #expect(Array(heard.all.prefix(3)) == Array(heard.all.suffix(3)))
        withExtendedLifetime(observations) {}
    }

    @Test func `B2: a long double is returned, folded, and a member of a struct`() throws {
        let observations = try [third, -third].map { factor in
            try center.observe(Numbers.self) {
                $0.on(Numbers.greatest) { $0 * factor }
                $0.on(Numbers.sum) { $0 + factor }
                $0.on(Numbers.precise) { Precise(flag: $0.flag + 1, value: $0.value * factor) }
            }
        }
        #expect(try center.ask(Numbers.greatest, 3) == 3 * third)
        #expect(try center.ask(Numbers.sum, 1) == (1 + third) + (1 - third))
        #expect(try center.collect(Numbers.greatest, 1) == [third, -third])
        #expect(try center.ask(Numbers.precise, Precise(flag: 1, value: 2)) == Precise(flag: 2, value: 2 * -third))
        withExtendedLifetime(observations) {}
    }

    @Test func `P3: a long double is passed to C, and from C`() throws {
        let owner = try center.define(Numbers.self)
        let function: @convention(c) (UnsafeMutableRawPointer?, Float80) -> Float80 = { $1 * 3 }
        let inC = try center.observeInC(
            owner, "greatest", "long double f(long double value)", unsafeBitCast(function, to: peal_function.self))
        #expect(try center.ask(Numbers.greatest, third) == third * 3)
        inC.cancel()
        let inSwift = try center.observe(Numbers.greatest) { $0 * 5 }
        let method = try center.method(Numbers.greatest).handle
        var value = third
        var result: Float80 = 0
        let status = withUnsafeMutablePointer(to: &value) {
            var argument: UnsafeMutableRawPointer? = UnsafeMutableRawPointer($0)
            return peal_send(method, &argument, 1, &result, nil)
        }
        #expect(status == PEAL_OK)
        #expect(result == third * 5)
        withExtendedLifetime((inC, inSwift)) {}
    }

    @Test func `a method that C declares with a long double is not one with a double, and the difference is named`()
        throws
    {
        try center.defineInC("Numbers", ["optional void named(const char *name, double value)"])
        let error = pealError { try center.observe(Numbers.named) { _, _ in } }
        #expect(error?.status == .conflict)
        #expect(error?.message.contains("Float80, which is long double; they have 8 and 16 bytes") == true)
    }
}
#endif
