// Measures a broadcast in Swift and in C of one integer to 0, 1 or 8 observers, and then services.
internal import CPeal
internal import Peal

enum Numbers: PealProtocol {
    static let onNumber = Method<Void, Int32>("on_number", parameters: "number")
    static let methods: [any MethodDeclaration] = [onNumber]
}
@main struct SwiftBenchmark {
    static func main() throws {
        let rounds = CommandLine.arguments.contains("--quick") ? 100 : 20_000
        print("one integer, nanoseconds a broadcast (best of 200 runs)")
        print("observers      C  handler in C  method(…)  center.broadcast")
        for observers in [0, 1, 8] {
            let center = try Center()
            let method = try center.method(Numbers.onNumber)
            var row = [try inC(center, method, observers, rounds, observe: observeByTable)]
            row.append(try inC(center, method, observers, rounds, observe: observeByHandler))
            let kept = try (0..<observers).map { _ in try center.observe(Numbers.onNumber) { sink(nil, $0) } }
            row.append(try best(rounds) { for number in 0..<Int32(rounds) { try method(number) } })
            row.append(
                try best(rounds) { for number in 0..<Int32(rounds) { try center.broadcast(Numbers.onNumber, number) } })
            print("\(observers)", row.map { "\(Double(Int($0 * 10)) / 10)" }.joined(separator: "   "), separator: "   ")
            withExtendedLifetime(kept) {}
        }
        try ServiceBenchmark.run(rounds)
    }

    static func inC(
        _ center: Center, _ method: BoundMethod<Void, Int32>, _ observers: Int, _ rounds: Int,
        observe: (peal_protocol) throws(PealError) -> peal_observation
    ) throws -> Double {
        let kept = try (0..<observers).map { _ in ObserverToken(try observe(method.protocol)) }
        let handle = method.handle
        let time = try best(rounds) {
            for number in 0..<Int32(rounds) {
                var value = number
                try withUnsafeMutablePointer(to: &value) { value in
                    var list: UnsafeMutableRawPointer? = UnsafeMutableRawPointer(value)
                    if peal_send(handle, &list, 1, nil, nil) != PEAL_OK { throw Failure() }
                }
            }
        }
        withExtendedLifetime(kept) {}
        return time
    }
}

struct Failure: Error {}

/// The action of all observers.
nonisolated(unsafe) var total: Int32 = 0
@inline(never) func sink(_ target: UnsafeMutableRawPointer?, _ number: Int32) { total &+= number }

func observeByTable(_ owner: peal_protocol) throws(PealError) -> peal_observation {
    var observation = peal_observation(id: 0)
    let function: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void = { sink($0, $1) }
    let target = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    let status = "on_number".withCString { name in
        var binding = peal_binding(
            method: name, function: unsafeBitCast(function, to: peal_function.self), prototype: nil)
        return peal_observe_bindings(owner, target, &binding, 1, nil, &observation)
    }
    if status != PEAL_OK { throw PealError(status: Status(status), message: String(cString: peal_last_message())) }
    return observation
}

func observeByHandler(_ owner: peal_protocol) throws(PealError) -> peal_observation {
    var observation = peal_observation(id: 0)
    let target = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    let handler: peal_handler = { target, call in
        sink(target, call!.pointee.arguments![0]!.load(as: Int32.self))
    }
    let status = peal_observe_handler(owner, target, handler, nil, 0, nil, &observation)
    if status != PEAL_OK { throw PealError(status: Status(status), message: String(cString: peal_last_message())) }
    return observation
}

/// Returns the least time of many short runs, because other programs disturb some of them.
func best(_ rounds: Int, _ body: () throws -> Void) rethrows -> Double {
    var least = Double.infinity
    for _ in 0..<200 {
        let clock = ContinuousClock()
        let time = try clock.measure(body)
        let (seconds, attoseconds) = time.components
        least = min(least, (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(rounds))
    }
    return least
}
