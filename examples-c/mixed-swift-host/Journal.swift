import CHouse
import Peal
import Synchronization

/// A service of Swift, which C also uses by a table of C functions.
final class Journal: Sendable {
    private let lines = Mutex<[String]>([])

    var count: Int { lines.withLock(\.count) }

    func note(_ line: String) { lines.withLock { $0.append(line) } }

    /// The function that C calls. `self` is the service's instance.
    static let table: journal = {
        var table = journal()
        table.size = MemoryLayout<journal>.size
        table.note = { pointer, line in
            guard let line else { return }
            swiftInstance(of: Journal.self, at: pointer)?.note(String(cString: line))
        }
        table.count = { pointer in swiftInstance(of: Journal.self, at: pointer)?.count ?? 0 }
        return table
    }()
}
