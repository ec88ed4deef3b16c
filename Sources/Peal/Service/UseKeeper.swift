internal import CPeal
internal import Synchronization

/// The uses of other services that last as long as an instance. They must not lead back to it: a circle of uses never ends.
final class UseKeeper: Sendable {
    /// A use of another service, and the uses of that one.
    private struct Entry {
        let use: peal_use
        weak let keeper: UseKeeper?
    }

    private let service: String
    private let entries = Mutex<[Entry]>([])

    init(of service: String) { self.service = service }

    /// Keeps a use.
    ///
    /// - Parameter use: *Consumed*, also when this fails.
    /// - Throws: ``Status/cycle``, with the path, where the used service needs this one.
    func keep(_ use: peal_service_use) throws(PealError) {
        let used = use.`self`.flatMap { pointer in Box.object(pointer, as: InstanceBox.self).kept }
        if let path = used?.path(to: self) {
            _ = peal_use_release(use.use)
            throw PealError(
                status: .cycle,
                message:
                    "services need each other: \(([self] + path).map(\.service).joined(separator: " -> ")); one of "
                    + "them must do without, or get the other when it needs it")
        }
        entries.withLock { $0.append(Entry(use: use.use, keeper: used)) }
    }

    /// The services that need each other from this one to another one; nil without a path.
    private func path(to end: UseKeeper) -> [UseKeeper]? {
        if self === end { return [self] }
        // Entries are only added while the instance is made, when no other service can have it.
        for keeper in entries.withLock({ $0.compactMap(\.keeper) }) {
            if let rest = keeper.path(to: end) { return [self] + rest }
        }
        return nil
    }

    deinit {
        for entry in entries.withLock({ $0 }).reversed() { _ = peal_use_release(entry.use) }
    }
}
