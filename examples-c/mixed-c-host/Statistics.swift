import CTalk
import Peal
import Synchronization

/// A service of Swift, which C also uses by a table of C functions.
final class Statistics: Sendable {
    private let count = Atomic(0)

    var words: Int { count.load(ordering: .relaxed) }

    func add(_ words: Int) { count.add(words, ordering: .relaxed) }

    /// The function that C calls. `self` is the service's instance.
    static let table: statistics = {
        var table = statistics()
        table.size = MemoryLayout<statistics>.size
        table.words = { pointer in swiftInstance(of: Statistics.self, at: pointer)?.words ?? 0 }
        return table
    }()
}
