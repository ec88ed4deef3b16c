// A broadcast of plain values in Swift allocates nothing and takes no lock, neither in the broadcaster nor in the
// observers.
import CPeal
import Peal

struct Point: PealStruct {
    var x: Double
    var y: Double
    static let structure = Structure<Point>("point", .member("x", \.x), .member("y", \.y))
}

enum Color: UInt32, PealEnum {
    case red, green
    static let unknown = Color.red
}

enum Work: PealProtocol {
    static let nothing = Method<Void>("nothing")
    static let number = Method<Void, Int32>("number")
    static let many = Method<Void, Int8, UInt16, Int64, Float, Double, Bool, Int, UInt, Int32>("many")
    static let point = Method<Void, Point, UnsafeRawPointer?>("by_value")
    static let color = Method<Color, Color>("color", policy: .last)
    static let ask = Method<Bool, Int32>("ask", policy: .every)
    static let sum = Method<Int32, Int32>("sum", policy: .sum)
    static let text = Method<Void, String, String?>("text")
    static let methods: [any MethodDeclaration] = [nothing, number, many, point, color, ask, sum, text]
}

/// The number of observer calls. Only one thread changes it.
nonisolated(unsafe) var heard = 0
nonisolated(unsafe) var failures = 0

final class Listener: Sendable {
    func number(_ number: Int32) { heard += Int(number) }
    func ask(_ number: Int32) -> Bool { number > 0 }
}

final class Worker: Sendable {
    func work() { heard += 1 }
}

/// Runs the closure once to warm up, and watches the second run.
func watch(_ claim: String, _ body: () throws(PealError) -> Void) {
    for isWatched in [false, true] {
        let before = heard
        if isWatched { interpose_watch() }
        do throws(PealError) {
            for _ in 0..<10 { try body() }
        } catch {
            _ = interpose_stop()
            print("FAILED: \(claim): \(error)")
            failures += 1
            return
        }
        guard isWatched else { continue }
        let counts = interpose_stop()
        let isQuiet = counts.allocations == 0 && counts.frees == 0 && counts.locks == 0 && counts.syscalls == 0
        if !isQuiet || heard == before { failures += 1 }
        print(isQuiet && heard != before ? "ok" : "FAILED", claim, isQuiet ? "" : "\(counts)")
    }
}

@main struct NoAllocation {
    static func main() throws {
        let center = try Center()
        let kept = try (0..<2).map { _ in try observe(center) }
        let listener = Listener()
        let weak = try center.observe(Work.self, for: listener) {
            $0.on(Work.number) { $0.number($1) }
            $0.on(Work.ask) { $0.ask($1) }
        }
        let number = try center.method(Work.number)
        let ask = try center.method(Work.ask)
        watch("B6: no argument") { () throws(PealError) in try center.broadcast(Work.nothing) }
        watch("B6: one integer, by a bound method") { () throws(PealError) in try number(1) }
        watch("B6: one integer, by the center") { () throws(PealError) in try center.broadcast(Work.number, 1) }
        watch("B6: nine numbers") { () throws(PealError) in
            try center.broadcast(Work.many, 1, 2, 3, 4, 5, true, 7, 8, 9)
        }
        watch("B6: a struct and a pointer") { () throws(PealError) in
            try center.broadcast(Work.point, Point(x: 1, y: 2), nil)
        }
        watch("B6: an enumeration, and one back") { () throws(PealError) in
            if try center.ask(Work.color, .green) != .green { failures += 1 }
        }
        watch("B6: a result") { () throws(PealError) in
            let answers = (try center.ask(Work.ask, 1), try ask(2))
            if answers != (true, true) { failures += 1 }
        }
        watch("B6: a result by another policy") { () throws(PealError) in
            if try center.method(Work.sum).using(.max)(3) != 3 { failures += 1 }
        }
        watch("B6: a short string, and none") { () throws(PealError) in try center.broadcast(Work.text, "lobby", nil) }
        try watchServices(center)
        // Checks that the counter counts an allocation.
        interpose_watch()
        let control = [Int](repeating: heard, count: 100)
        if interpose_stop().allocations == 0 || control.count != 100 {
            print("FAILED: an allocation is not seen")
            failures += 1
        }
        withExtendedLifetime((kept, weak, listener)) {}
        if failures > 0 { fatalError("\(failures) failures") }
    }

    /// Watches gets of existing services. `get` allocates an object, which is the use. `use` and `with` need none.
    static func watchServices(_ center: Center) throws {
        let worker = try center.register(Worker.self) { _ in Worker() }
        let named = try center.register(Worker.self, named: "a name that is longer than fifteen bytes") { _ in Worker()
        }
        let values = try center.register(Point.self) { _ in Point(x: 1, y: 2) }
        _ = try (worker.get(), named.get(), values.get())
        watch("S5: a scope") { () throws(PealError) in try worker.with { $0.work() } }
        watch("S5: a scope of a value") { () throws(PealError) in try values.with { heard += Int($0.x) } }
        watch("S5: a use") { () throws(PealError) in try worker.use().instance.work() }
        watch("S1: a scope, by type") { () throws(PealError) in try center.with(Worker.self) { $0.work() } }
        watch("S1: a use, by type") { () throws(PealError) in try center.use(Worker.self).instance.work() }
        watch("S1: a use, by name") { () throws(PealError) in
            try center.use(Worker.self, named: "a name that is longer than fifteen bytes").instance.work()
        }
        let observations = [
            try center.observe(Work.nothing, by: worker) { $0.work() },
            try center.observe(Work.self, by: worker) { $0.on(Work.number) { worker, _ in worker.work() } },
        ]
        watch("O13: a broadcast to a service that is there") { () throws(PealError) in
            try center.broadcast(Work.nothing)
            try center.broadcast(Work.number, 1)
        }
        withExtendedLifetime(observations) {}
    }

    static func observe(_ center: Center) throws(PealError) -> ObserverToken {
        try center.observe(Work.self) {
            $0.on(Work.nothing) { heard += 1 }
            $0.on(Work.number) { heard += Int($0) }
            $0.on(Work.many) { a, b, c, d, e, f, g, h, i in heard += Int(a) + Int(i) }
            $0.on(Work.point) { point, _ in heard += Int(point.x) }
            $0.on(Work.color) { color in
                heard += 1; return color
            }
            $0.on(Work.ask) { number in
                heard += 1; return number > 0
            }
            $0.on(Work.sum) { number in
                heard += 1; return number
            }
            $0.on(Work.text) { text, note in heard += text.utf8.count }
        }
    }
}
