// Measures a broadcast with a result in Swift, and in C to functions and to handlers.
internal import CPeal
internal import Peal

enum Votes: PealProtocol {
    static let name = "Votes"
    static let last = Method<Int32, Int32>("last_of", parameters: "number", policy: .last)
    static let sum = Method<Int32, Int32>("sum_of", parameters: "number", policy: .sum)
    static let methods: [any MethodDeclaration] = [last, sum]
}

enum ResultBenchmark {
    static func run(_ rounds: Int) throws {
        print("the result of one integer, nanoseconds a broadcast (best of 200 runs)")
        print("observers            C  handler in C  method(…)  collect")
        for observers in [1, 16] {
            try row("last_of", Votes.last, rounds / observers, observers)
            try row("sum_of", Votes.sum, rounds / observers, observers)
        }
    }

    private static func row(
        _ name: String, _ voted: PealMethod<Votes, Int32, Int32>, _ rounds: Int, _ observers: Int
    ) throws {
        let center = try Center()
        let method = try center.method(voted)
        let numbers = Int32(0)..<Int32(rounds)
        let bodies: [() throws -> Void] = [
            try inC(name, voted, rounds, observers, observeByTable),
            try inC(name, voted, rounds, observers, observeByHandler),
            { for number in numbers { sink(nil, try method(number)) } },
            { for number in numbers { sink(nil, try method.collect(number).last ?? 0) } },
        ]
        let kept = try (0..<observers).map { _ in try center.observe(voted) { $0 &+ 1 } }
        let times = try best(rounds, bodies).map { "\(($0 * 10).rounded(.down) / 10)" }
        print("\(observers) \(name)".padded, times.joined(separator: "   "))
        withExtendedLifetime(kept) {}
    }

    /// Returns broadcasts in C, in a center of its own, whose observers last as long as the closure.
    private static func inC(
        _ name: String, _ voted: PealMethod<Votes, Int32, Int32>, _ rounds: Int, _ observers: Int,
        _ observe: (peal_protocol, String) throws(PealError) -> peal_observation
    ) throws -> () throws -> Void {
        let center = try Center()
        let method = try center.method(voted)
        let kept = try (0..<observers).map { _ in ObserverToken(try observe(method.protocol, name)) }
        let handle = method.handle
        return {
            for number in 0..<Int32(rounds) {
                var value = number
                var result: Int32 = 0
                try withUnsafeMutablePointer(to: &value) { value in
                    var list: UnsafeMutableRawPointer? = UnsafeMutableRawPointer(value)
                    if peal_send(handle, &list, 1, &result, nil) != PEAL_OK { throw Failure() }
                }
                sink(nil, result)
            }
            withExtendedLifetime((center, kept)) {}
        }
    }

    private static func observeByTable(_ owner: peal_protocol, _ name: String) throws(PealError) -> peal_observation {
        var observation = peal_observation(id: 0)
        let function: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32 = { $1 &+ 1 }
        let target = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
        let status = name.withCString { name in
            var binding = peal_binding(
                method: name, function: unsafeBitCast(function, to: peal_function.self), prototype: nil)
            return peal_observe_bindings(owner, target, &binding, 1, nil, &observation)
        }
        if status != PEAL_OK { throw PealError(status: Status(status), message: String(cString: peal_last_message())) }
        return observation
    }

    private static func observeByHandler(
        _ owner: peal_protocol, _ name: String
    ) throws(PealError) -> peal_observation {
        var observation = peal_observation(id: 0)
        let target = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
        let handler: peal_handler = { _, call in
            let number = call!.pointee.arguments![0]!.load(as: Int32.self)
            call!.pointee.result!.storeBytes(of: number &+ 1, as: Int32.self)
        }
        let status = name.withCString { name in
            var names: UnsafePointer<CChar>? = name
            return peal_observe_handler(owner, target, handler, &names, 1, nil, &observation)
        }
        if status != PEAL_OK { throw PealError(status: Status(status), message: String(cString: peal_last_message())) }
        return observation
    }
}

extension String {
    fileprivate var padded: String { self + String(repeating: " ", count: max(0, 14 - count)) }
}
