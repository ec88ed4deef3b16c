/// The part of a protocol that changes. Reached through the center's state alone, so its lock guards it.
final class ProtocolState: @unchecked Sendable {
    // Unchecked: guarded by the center's lock, which excludes other accesses too. So they are not checked at run time.
    /// The protocol is defined. One that has ended has no members.
    @exclusivity(unchecked) private(set) var isDefined = false
    /// Those it declares itself, in the order of its table.
    @exclusivity(unchecked) var own: [Method] = []
    /// The adopted ones, then its own; each with this protocol as its owner.
    @exclusivity(unchecked) var all: [Method] = []
    /// Protocols that adopt it directly.
    var adopters: [PealProtocol] = []
    /// Those of its observers, and of no adopter's.
    @exclusivity(unchecked) var tables = SharedTables()
    /// Those that are registered for it, and for no adopter.
    @exclusivity(unchecked) var observers = ObserverIndex()
    /// The owners that defined it; zero for a definition that belongs to nobody, and lasts.
    var definers: Set<UInt64> = []
    /// Observers that conform to it, those of adopters included.
    @exclusivity(unchecked) var conformerCount = 0
    /// Those among them whose target is held weakly.
    @exclusivity(unchecked) var weakConformerCount = 0

    /// The first definition of the protocol.
    func begin() { isDefined = true }

    /// The members refer to the protocol: an end drops them.
    func end() {
        isDefined = false
        own = []
        all = []
        adopters = []
        observers.removeAll()
        tables = SharedTables()
        definers = []
    }

    /// The highest `since` of its methods.
    var version: Int { own.map { $0.declaration.since }.max() ?? 1 }
}
