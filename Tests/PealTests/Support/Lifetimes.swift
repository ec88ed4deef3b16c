import Synchronization

/// Counts objects that are alive, so that one too many or too few fails a test.
final class Lifetimes: Sendable {
    private let counts = Mutex((alive: 0, made: 0))

    var alive: Int { counts.withLock { $0.alive } }
    var made: Int { counts.withLock { $0.made } }

    func began() {
        counts.withLock { $0 = ($0.alive + 1, $0.made + 1) }
    }

    func ended() { counts.withLock { $0.alive -= 1 } }
}

/// An object whose life is counted.
final class Counted: Sendable {
    let name: String
    private let lifetimes: Lifetimes

    init(_ lifetimes: Lifetimes, _ name: String = "") {
        self.lifetimes = lifetimes
        self.name = name
        lifetimes.began()
    }

    deinit { lifetimes.ended() }
}
