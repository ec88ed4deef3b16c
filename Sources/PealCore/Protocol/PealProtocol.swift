/// A named list of methods in a center. Its changing parts (it can grow, it has observers) are inherited, and belong
/// to the center's state.
public final class PealProtocol: ProtocolState, @unchecked Sendable {
    public let id: UInt64
    public let name: String
    public let center: Center
    /// Guarded by the lock of services.
    nonisolated(unsafe) var providers = ServiceBook.Providers()

    init(id: UInt64, name: String, center: Center, adopted: [PealProtocol]) {
        self.id = id
        self.name = name
        self.center = center
        super.init(adopted.isEmpty ? nil : Ancestry(adopted))
    }

    /// The protocols that it adopts, in the order of the declaration.
    var adopted: [PealProtocol] { ancestry?.adopted ?? [] }

    var adoptedCount: Int { ancestry?.adopted.count ?? 0 }

    /// All protocols that it adopts, directly or not, each once.
    var ancestors: [PealProtocol] { ancestry?.all ?? [] }

    /// True if it adopts some protocol on two paths.
    var hasDiamond: Bool { ancestry?.hasDiamond ?? false }

    /// The inherited members. Read it as an element of the center's state, under the center's lock.
    var state: ProtocolState { self }

    /// The protocol itself and its ancestors.
    var family: [PealProtocol] { [self] + ancestors }
}

/// The protocols that a protocol adopts.
final class Ancestry: Sendable {
    let adopted: [PealProtocol]
    let all: [PealProtocol]
    let hasDiamond: Bool

    init(_ adopted: [PealProtocol]) {
        self.adopted = adopted
        var all: [PealProtocol] = []
        var hasDiamond = false
        for member in adopted {
            hasDiamond = hasDiamond || member.hasDiamond
            for found in member.family {
                if all.contains(found) { hasDiamond = true } else { all.append(found) }
            }
        }
        self.all = all
        self.hasDiamond = hasDiamond
    }
}

extension PealProtocol: Hashable {
    public static func == (left: PealProtocol, right: PealProtocol) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The layout of a protocol's table: its size in bytes, a pointer to the table of each adopted protocol, a function for
/// each own method. All are words of eight bytes.
enum TableLayout {
    static let word = 8

    static func size(adoptedCount: Int, methodCount: Int) -> Int {
        word * (1 + adoptedCount + methodCount)
    }

    static func adoptedOffset(_ index: Int) -> Int {
        word * (1 + index)
    }

    static func methodOffset(_ rank: Int, adoptedCount: Int) -> Int {
        word * (1 + adoptedCount + rank)
    }
}
