// Measures a get of an existing service in Swift, and by the C functions that Swift calls.
internal import CPeal
internal import Peal

final class Worker: Sendable {
    let number: Int32 = 1
}

enum ServiceBenchmark {
    static func run(_ rounds: Int) throws {
        let center = try Center()
        let worker = try center.register(Worker.self) { _ in Worker() }
        _ = try worker.get()
        print("a service that is there, nanoseconds each (best of 200 runs)")
        print("                C  Swift")
        try row("scope", rounds, inC: { try scope(worker) }, inSwift: { try worker.with { sink(nil, $0.number) } })
        try row("use", rounds, inC: { try use(worker) }, inSwift: { sink(nil, try worker.use().instance.number) })
        try row(
            "use, object", rounds, inC: { try use(worker) }, inSwift: { sink(nil, try worker.get().instance.number) })
        try row(
            "use by type", rounds, inC: { try get(center) },
            inSwift: { sink(nil, try center.use(Worker.self).instance.number) })
        try row("scope by type", rounds, inC: nil, inSwift: { try center.with(Worker.self) { sink(nil, $0.number) } })
    }

    private static func row(
        _ name: String, _ rounds: Int, inC: (() throws -> Void)?, inSwift: @escaping () throws -> Void
    ) throws {
        let bodies = [inC, inSwift].compactMap(\.self).map { body in { for _ in 0..<rounds { try body() } } }
        let times = try best(rounds, bodies).map { "\(($0 * 10).rounded(.down) / 10)" }
        print(name, inC == nil ? "-" : times[0], times[times.count - 1], separator: "   ")
    }

    private static func scope(_ worker: ServiceProvider<Worker>) throws {
        var scope = peal_scope()
        if peal_scope_begin(worker.handle, peal_protocol(), 0, &scope) != PEAL_OK { throw Failure() }
        sink(scope.`self`, 1)
        if peal_scope_end(&scope) != PEAL_OK { throw Failure() }
    }

    private static func use(_ worker: ServiceProvider<Worker>) throws {
        var use = peal_service_use()
        if peal_service_use_instance(worker.handle, &use) != PEAL_OK { throw Failure() }
        sink(use.`self`, 1)
        if peal_use_release(use.use) != PEAL_OK { throw Failure() }
    }

    private static func get(_ center: Center) throws {
        var use = peal_service_use()
        if peal_service_get(center.handle, "main.Worker", &use) != PEAL_OK { throw Failure() }
        sink(use.`self`, 1)
        if peal_use_release(use.use) != PEAL_OK { throw Failure() }
    }
}
