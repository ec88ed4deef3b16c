import Synchronization

/// Counts objects, so that one too many or too few fails a test.
final class Population: Sendable {
    private let counts = Mutex((alive: 0, made: 0))

    var alive: Int { counts.withLock { $0.alive } }
    var made: Int { counts.withLock { $0.made } }

    func began() {
        counts.withLock { $0 = ($0.alive + 1, $0.made + 1) }
    }

    func ended() { counts.withLock { $0.alive -= 1 } }
}

/// An object that is counted.
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
