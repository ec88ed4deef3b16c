/// The part of a protocol that changes. It is reached through the center's state alone, so the center's lock guards it.
///
/// A program may have many protocols. So this part and the protocol are one object, and the members are in the order that
/// needs the least memory.
public class ProtocolState: @unchecked Sendable {
    // Unchecked: guarded by the center's lock. The lock also makes each access exclusive, so exclusivity is not checked
    // at run time.
    /// The methods that it declares itself, in the order of its table.
    @exclusivity(unchecked) final private(set) var own: [Method] = []
    /// The adopted methods and its own; each with this protocol as its owner.
    @exclusivity(unchecked) final private(set) var all: [Method] = []
    /// Protocols that adopt it directly.
    @exclusivity(unchecked) final var adopters: Set<PealProtocol> = []
    /// The observers that are registered for it, without those of adopters.
    @exclusivity(unchecked) final var observers = ObserverIndexes()
    /// The tables of its own observers, without those of adopters.
    @exclusivity(unchecked) final var tables = SharedTables()
    /// The number of observers that conform to it, those of adopters included.
    @exclusivity(unchecked) final var conformerCount: Int32 = 0
    @exclusivity(unchecked) final var definers = Definers()
    /// True if the protocol is defined. A protocol that has ended has no members.
    @exclusivity(unchecked) final private(set) var isDefined = false
    /// The number of conforming observers with a weak target.
    @exclusivity(unchecked) final var weakConformerCount: Int32 = 0

    init() {}

    /// Marks the protocol as defined.
    final func begin() { isDefined = true }

    /// Ends the protocol, and releases its members, which refer to it.
    final func end() {
        isDefined = false
        own = []
        all = []
        adopters = []
        observers.removeAll()
        tables = SharedTables()
        definers = Definers()
    }

    final func add(_ methods: [Method]) {
        all += methods
        let added = methods.filter { $0.origin == $0.owner }
        // Without adopted methods both are one array.
        own = own.count + added.count == all.count ? all : own + added
    }

    /// The highest `since` of its methods.
    final var version: Int { own.map { $0.declaration.since }.max() ?? 1 }
}

/// The owners for which a protocol or a property was defined.
struct Definers {
    private var owners: Set<UInt64> = []
    /// True for a definition that belongs to no owner, and is permanent.
    private var lasts = false

    /// - Parameter owner: The handle of the owner; 0: none.
    mutating func insert(_ owner: UInt64) {
        if owner == 0 { lasts = true } else { owners.insert(owner) }
    }

    /// Returns false if it was not defined for the owner.
    mutating func remove(_ owner: UInt64) -> Bool { owners.remove(owner) != nil }

    var isEmpty: Bool { !lasts && owners.isEmpty }
}
