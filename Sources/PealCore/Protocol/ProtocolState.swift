internal import CPealSupport

/// The part of a protocol that changes. It is reached through the center's state alone, so the center's lock guards it.
///
/// A program may have many protocols. So this part and the protocol are one object, and the members are in the order that
/// needs the least memory.
public class ProtocolState: @unchecked Sendable {
    // Unchecked: guarded by the center's lock. The lock also makes each access exclusive, so exclusivity is not checked
    // at run time.
    /// nil for a protocol that no other protocol adopts and no owner has defined.
    @exclusivity(unchecked) private final var relations: ProtocolRelations?
    /// The observers that are registered for it, without those of adopters.
    @exclusivity(unchecked) final var observers = ObserverIndexes()
    /// The tables of its own observers, without those of adopters.
    @exclusivity(unchecked) final var tables = SharedTables()
    /// The adopted methods and its own; each with this protocol as its owner. A word and a byte.
    @exclusivity(unchecked) private final var methods = MethodList.none
    /// True if it was defined for no owner, and is permanent.
    @exclusivity(unchecked) private final var isPermanent = false
    /// True if the protocol is defined. A protocol that has ended has no members.
    @exclusivity(unchecked) final private(set) var isDefined = false
    /// True for the protocol of a property, which is not announced.
    @exclusivity(unchecked) final private(set) var isOfProperty = false
    /// The number of observers that conform to it, those of adopters included.
    @exclusivity(unchecked) final var conformerCount: Int32 = 0
    /// The number of conforming observers with a weak target.
    @exclusivity(unchecked) final var weakConformerCount: Int32 = 0
    /// The number of its own observers from which on a weak registration looks for dead targets: see WeakSweep.swift.
    @exclusivity(unchecked) final var sweepCount: Int32 = WeakSweep.first

    /// nil for a protocol that adopts none. It never changes, and is read without the lock.
    final let ancestry: Ancestry?

    init(_ ancestry: Ancestry?) { self.ancestry = ancestry }

    /// Marks the protocol as defined.
    final func begin(isOfProperty: Bool = false) {
        isDefined = true
        self.isOfProperty = isOfProperty
    }

    /// Ends the protocol, and releases its members, which refer to it.
    final func end() {
        isDefined = false
        methods = .none
        relations = nil
        observers.removeAll()
        tables.removeAll()
        isPermanent = false
    }

    final func add(_ added: [Method]) {
        methods = MethodList(all + added)
        relations?.methodsByName = []
    }

    /// The methods of a name, its own and adopted ones, in the order of their declaration.
    final func methods(named name: String) -> [Method] {
        guard methods.count > Self.fewMethods else { return all.filter { $0.name == name } }
        let relations = relationsMadeIfNeeded()
        if relations.methodsByName.isEmpty {
            relations.methodsByName = all.map { NamedMethod(hash: Self.hash(of: $0.name), method: $0) }
                .ordered { SortKey($0.hash) }
        }
        let (sorted, hash) = (relations.methodsByName, Self.hash(of: name))
        var range = sorted.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = sorted[middle].hash < hash ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return sorted[range.lowerBound...].prefix { $0.hash == hash }.map { $0.method }.filter { $0.name == name }
    }

    private static func hash(of name: String) -> UInt64 { name.withCString { UInt64(peal_name_hash(0, $0)) } }

    /// The number of methods that are searched one by one.
    private static var fewMethods: Int { 16 }

    /// The adopted methods, then its own, in the order of their declaration.
    final var all: [Method] { methods.array }

    /// The methods that it declares itself, in the order of its table; those of a property in the order in which they were
    /// made.
    final var own: [Method] { ancestry == nil ? all : all.filter { $0.origin == $0.owner } }

    /// The number of functions in its table.
    @inline(__always)
    final var ownCount: Int {
        if isOfProperty { return NotificationKind.allCases.count }
        return ancestry == nil ? methods.count : own.count
    }

    /// Protocols that adopt it directly.
    final var adopters: Set<PealProtocol> { relations?.adopters ?? [] }

    final func addAdopter(_ adopter: PealProtocol) { relationsMadeIfNeeded().adopters.insert(adopter) }

    final func removeAdopter(_ adopter: PealProtocol) { relations?.adopters.remove(adopter) }

    /// Notes a definition of the protocol.
    ///
    /// - Parameter owner: The handle of the owner; 0: none.
    final func addDefiner(_ owner: UInt64) {
        if owner == 0 { isPermanent = true } else { relationsMadeIfNeeded().definers.insert(owner) }
    }

    /// Returns false if it was not defined for the owner.
    final func removeDefiner(_ owner: UInt64) -> Bool { relations?.definers.remove(owner) != nil }

    /// True if the protocol is not defined for any owner, and not permanent.
    final var hasNoDefiner: Bool { !isPermanent && relations?.definers.isEmpty ?? true }

    private final func relationsMadeIfNeeded() -> ProtocolRelations {
        if let relations { return relations }
        let made = ProtocolRelations()
        relations = made
        return made
    }

    /// The highest `since` of its methods.
    final var version: Int { own.map { $0.declaration.since }.max() ?? 1 }
}

private struct NamedMethod {
    /// The hash of the name.
    let hash: UInt64
    let method: Method
}

/// The rare members of a protocol's state: adopters, owners and sorted methods. Guarded by the center's lock.
private final class ProtocolRelations {
    var adopters: Set<PealProtocol> = []
    /// The handles of the owners for which the protocol was defined.
    var definers: Set<UInt64> = []
    /// The methods of a protocol with many, sorted by the hashes of their names, then as they are declared. Made when a
    /// method is found by its name.
    var methodsByName: [NamedMethod] = []
}

/// The methods of a protocol. Many protocols have one method, which needs no array.
private enum MethodList {
    case none
    case one(Method)
    case many([Method])
    /// No value has this case, which keeps the pointers of the others free of marks: see `CType.untagged`.
    case untagged(Never, UInt)

    init(_ methods: [Method]) {
        if methods.count > 1 { self = .many(methods) } else { self = methods.first.map { .one($0) } ?? .none }
    }

    @inline(__always)
    var count: Int {
        switch self {
        case .none: 0
        case .one: 1
        case .many(let methods): methods.count
        }
    }

    var array: [Method] {
        switch self {
        case .none: []
        case .one(let method): [method]
        case .many(let methods): methods
        }
    }
}
