// Measures a broadcast in Swift and in C of one integer to 0, 1 or 8 observers, and then results and services.
internal import CPeal
internal import Peal

enum Numbers: PealProtocol {
    static let name = "Numbers"
    static let onNumber = Method<Void, Int32>("on_number", parameters: "number")
    static let methods: [any MethodDeclaration] = [onNumber]
}
#if Macros
@PealProtocol("Numbers")
protocol NumberObserver {
    func onNumber(number: Int32)
}
#endif

@main struct SwiftBenchmark {
    static func main() throws {
        let rounds = CommandLine.arguments.contains("--quick") ? 100 : 20_000
        print("one integer, nanoseconds a broadcast (best of 200 runs, one of each in turn)")
        print("observers      C  handler in C  method(…)  center.broadcast  sender of the macro")
        for observers in [0, 1, 8] {
            let numbers = Int32(0)..<Int32(rounds)
            let swift = try Center()
            let method = try swift.method(Numbers.onNumber)
            var bodies: [() throws -> Void] = [
                try inC(rounds, observers, observeByTable),
                try inC(rounds, observers, observeByHandler),
                { for number in numbers { try method(number) } },
                { for number in numbers { try swift.broadcast(Numbers.onNumber, number) } },
            ]
            let kept = try (0..<observers).map { _ in try swift.observe(Numbers.onNumber) { sink(nil, $0) } }
            #if Macros
            let sender = try NumberObserverCenter(swift)
            bodies.append { for number in numbers { try sender.onNumber(number: number) } }
            #endif
            let row = try best(rounds, bodies)
            print("\(observers)", row.map { "\(Double(Int($0 * 10)) / 10)" }.joined(separator: "   "), separator: "   ")
            withExtendedLifetime(kept) {}
        }
        try ResultBenchmark.run(rounds)
        try ServiceBenchmark.run(rounds)
    }

    /// Returns broadcasts in C, in a center of its own, whose observers last as long as the closure.
    static func inC(
        _ rounds: Int, _ observers: Int, _ observe: (peal_protocol) throws(PealError) -> peal_observation
    ) throws -> () throws -> Void {
        let center = try Center()
        let method = try center.method(Numbers.onNumber)
        let kept = try (0..<observers).map { _ in ObserverToken(try observe(method.protocol)) }
        let handle = method.handle
        return {
            for number in 0..<Int32(rounds) {
                var value = number
                try withUnsafeMutablePointer(to: &value) { value in
                    var list: UnsafeMutableRawPointer? = UnsafeMutableRawPointer(value)
                    if peal_send(handle, &list, 1, nil, nil) != PEAL_OK { throw Failure() }
                }
            }
            withExtendedLifetime((center, kept)) {}
        }
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

/// Returns the least time of many short runs of each body, because other programs disturb some of them. The bodies run
/// in turn, so that a slower clock of the processor disturbs all of them.
func best(_ rounds: Int, _ bodies: [() throws -> Void]) throws -> [Double] {
    var least = bodies.map { _ in Double.infinity }
    let clock = ContinuousClock()
    for _ in 0..<200 {
        for (index, body) in bodies.enumerated() {
            let (seconds, attoseconds) = try clock.measure(body).components
            least[index] = min(least[index], (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(rounds))
        }
    }
    return least
}
