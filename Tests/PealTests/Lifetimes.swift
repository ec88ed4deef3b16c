import Synchronization

/// Counts how many objects live, so that one too many fails a test.
final class Lifetimes: Sendable {
    private let count = Atomic(0)

    var living: Int { count.load(ordering: .sequentiallyConsistent) }

    /// Keep this in the object.
    func begin() -> Life { Life(self) }

    final class Life: Sendable {
        private let lifetimes: Lifetimes

        fileprivate init(_ lifetimes: Lifetimes) {
            self.lifetimes = lifetimes
            lifetimes.count.add(1, ordering: .sequentiallyConsistent)
        }

        deinit { lifetimes.count.subtract(1, ordering: .sequentiallyConsistent) }
    }
}
