/// The part of a protocol that changes. Reached through the center's state alone, so its lock guards it.
final class ProtocolState: @unchecked Sendable {
    // Unchecked: guarded by the center's lock, which excludes other accesses too. So they are not checked at run time.
    /// The protocol is defined. One that has ended has no members.
    @exclusivity(unchecked) private(set) var isDefined = false
    /// Those it declares itself, in the order of its table.
    @exclusivity(unchecked) private(set) var own: [Method] = []
    /// The adopted ones and its own; each with this protocol as its owner.
    @exclusivity(unchecked) private(set) var all: [Method] = []
    /// Protocols that adopt it directly.
    var adopters: Set<PealProtocol> = []
    /// Those of its observers, and of no adopter's.
    @exclusivity(unchecked) var tables = SharedTables()
    /// Those that are registered for it, and for no adopter.
    @exclusivity(unchecked) var observers = ObserverIndexes()
    var definers = Definers()
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
        definers = Definers()
    }

    func add(_ methods: [Method]) {
        all += methods
        let added = methods.filter { $0.origin == $0.owner }
        // Without adopted methods both are one array.
        own = own.count + added.count == all.count ? all : own + added
    }

    /// The highest `since` of its methods.
    var version: Int { own.map { $0.declaration.since }.max() ?? 1 }
}

/// For whom a protocol or a property was defined.
struct Definers {
    /// A definition that belongs to no owner lasts.
    private var lasts = false
    private var owners: Set<UInt64> = []

    /// - Parameter owner: The handle of the owner; 0: none.
    mutating func insert(_ owner: UInt64) {
        if owner == 0 { lasts = true } else { owners.insert(owner) }
    }

    /// Returns false if it was not defined for the owner.
    mutating func remove(_ owner: UInt64) -> Bool { owners.remove(owner) != nil }

    var isEmpty: Bool { !lasts && owners.isEmpty }
}
