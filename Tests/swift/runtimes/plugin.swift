import CPeal
import Dispatch
import Peal
import Synchronization

// A plugin in Swift that uses peal, with or without a Swift runtime in peal itself.

private enum News: PealProtocol {
    static let name = "News"
    static let onNumber = Method<Void, Int32>("on_number", parameters: "number", isRequired: true)
    static let methods: [any MethodDeclaration] = [onNumber]
}

/// A counter for any thread. It wakes a thread that waits for a number.
private final class Tally: Sendable {
    private let sum = Atomic(Int32(0))
    private let goal: Int32
    private let reached = DispatchSemaphore(value: 0)

    init(_ goal: Int32) { self.goal = goal }

    func add(_ number: Int32) {
        if sum.add(number, ordering: .sequentiallyConsistent).newValue == goal { reached.signal() }
    }

    func isReached() -> Bool { reached.wait(timeout: .now() + 60) == .success }
}

private struct Refusal: Error { let number: Int32 }

private actor Clerk {
    private let tally: Tally
    init(_ tally: Tally) { self.tally = tally }
    func write(_ number: Int32) { tally.add(number) }
}

/// Uses the runtime's metadata, casts, errors and allocations.
private func roundTrip(_ number: Int32) -> Int32 {
    do {
        let value: Any = [String(describing: Refusal.self): Refusal(number: number)]
        throw (value as? [String: Refusal])?["Refusal"] ?? Refusal(number: -1)
    } catch {
        return (error as? Refusal)?.number ?? -1
    }
}

private func check(_ center: Center, _ broadcast: () -> Void, _ sum: Int32) throws -> [String] {
    let tallies = ["thread", "queue", "actor", "sequence"].map { ($0, Tally(sum)) }
    let queue = try Queue()
    let clerk = Clerk(tallies[2].1)
    let numbers = try center.broadcasts(of: News.onNumber)
    let task = Task { [tally = tallies[3].1] in for await number in numbers { tally.add(number) } }
    let observations = [
        try center.observe(News.onNumber) { [tally = tallies[0].1] in tally.add(roundTrip($0)) },
        try center.observe(News.onNumber, .on(queue)) { [tally = tallies[1].1] in tally.add(roundTrip($0)) },
        try center.observe(News.onNumber, on: clerk) { (clerk: isolated Clerk, number) in clerk.write(number) },
    ]
    let ticks = Tally(3)
    let timer = try QueueTimer(every: .milliseconds(1)) { ticks.add(1) }
    try timer.start()
    broadcast()
    var missed = (tallies + [("timer", ticks)]).filter { !$0.1.isReached() }.map(\.0)
    if try !timer.stopAndWaitBlocking() { missed.append("the timer's stop") }
    for observation in observations where try !observation.cancelAndWaitBlocking(timeout: .seconds(60)) {
        missed.append("an observation's end")
    }
    task.cancel()
    return missed
}

@c(runtimes_check)
public func runtimesCheck(_ center: peal_center, _ broadcast: @convention(c) () -> Void, _ sum: Int32) -> CInt {
    do {
        let missed = try check(Center(borrowing: center), broadcast, sum)
        if !missed.isEmpty { print("not reached, or not ended: \(missed)") }
        return missed.isEmpty ? 0 : 1
    } catch {
        print(error)
        return 1
    }
}
