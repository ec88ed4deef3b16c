import Synchronization

/// Counts living objects, so that a test detects one that was not freed, or was freed twice.
final class Population: Sendable {
    private let counts = Mutex((alive: 0, made: 0))

    var alive: Int { counts.withLock { $0.alive } }
    var made: Int { counts.withLock { $0.made } }

    func began() {
        counts.withLock { $0 = ($0.alive + 1, $0.made + 1) }
    }

    func ended() { counts.withLock { $0.alive -= 1 } }
}

/// An object that a population counts.
final class Counted: Sendable {
    let name: String
    private let population: Population

    init(_ population: Population, _ name: String = "") {
        self.name = name
        self.population = population
        population.began()
    }

    deinit { population.ended() }
}
