import Synchronization

/// A list to which any thread appends.
final class Record<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    func append(_ element: Element) { elements.withLock { $0.append(element) } }

    /// The elements so far. They are copied one by one: a copy of the array would share its storage, and the thread
    /// sanitizer does not see all of the reference counts by which the next `append` leaves that storage alone.
    var all: [Element] { elements.withLock { $0.map { $0 } } }
}
