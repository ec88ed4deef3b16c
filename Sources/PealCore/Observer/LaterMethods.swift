internal import CPealSupport
import PealCall

/// The methods that a protocol has got since an observer with a handler for all methods was registered, if the observer
/// includes these. Each such observer has an object of its own. Guarded by the center's lock.
final class LaterMethods: @unchecked Sendable {
    // Unchecked: guarded by the center's lock.
    fileprivate(set) var methods: [Method] = []
    fileprivate(set) var listings: [ObserverTables.Listing] = []
    /// The observer has a queue, which must be able to capture all arguments.
    private let capturesArguments: Bool

    init(of registration: borrowing Registration) {
        capturesArguments = registration.queue != nil && !registration.options.contains(.borrowed)
    }

    /// Returns the thunk of a method that the handler can receive; nil for any other method.
    ///
    /// - Parameter index: The index of the method in its protocol.
    fileprivate func function(of method: Method, index: Int) throws(Failure) -> UnsafeRawPointer? {
        guard index < HandledMethods.most, !capturesArguments || method.copyPlan.pointee.firstBarePointer == nil else {
            return nil
        }
        do throws(Failure) {
            return try MethodThunk.function(of: method.plan, index: index, method.title)
        } catch {
            if error.kind == .forbidden { return nil }
            throw error
        }
    }
}

/// The observers that include later methods, by the protocol for which they are registered. Guarded by the center's lock.
struct LaterObservers {
    private var byProtocol: [PealProtocol: Set<Observer>] = [:]

    mutating func insert(_ record: Observer, of proto: PealProtocol) {
        byProtocol[proto, default: []].insert(record)
    }

    mutating func remove(_ record: Observer, of proto: PealProtocol) {
        byProtocol[proto]?.remove(record)
        if byProtocol[proto]?.isEmpty == true { byProtocol[proto] = nil }
    }

    mutating func removeAll(of proto: PealProtocol) { byProtocol[proto] = nil }

    var isEmpty: Bool { byProtocol.isEmpty }

    /// The observers of a protocol that have not ended, in the order of registration.
    subscript(proto: PealProtocol) -> [Observer] {
        (byProtocol[proto] ?? []).filter { !ObserverGate.isEnding($0.gate) }
            .ordered { SortKey($0.pointee.order) }
    }
}

extension CenterState {
    /// An observer that is listed under new methods.
    struct LaterListing {
        fileprivate let later: LaterMethods
        fileprivate var methods: [Method] = []
        fileprivate var listings: [ObserverTables.Listing] = []
    }

    /// Lists observers under new methods, which no other thread can find yet. If this fails, the end of the methods ends
    /// their lists.
    ///
    /// - Parameters:
    ///   - made: The new methods, which the protocols do not have yet.
    ///   - subprotocols: Their protocols.
    func listLaterObservers(
        under made: [Method], of subprotocols: [PealProtocol]
    ) throws(Failure) -> [LaterListing] {
        var listed: [LaterListing] = []
        guard let center = subprotocols.first?.center, !center.laterObservers.isEmpty else { return listed }
        for proto in subprotocols {
            for record in center.laterObservers[proto] {
                guard let later = record.tables.later else { continue }
                var listing = LaterListing(later: later)
                for (offset, method) in made.filter({ $0.owner == proto }).enumerated() {
                    try list(record, under: method, index: self[proto].all.count + offset, of: made, &listing)
                }
                listed.append(listing)
            }
        }
        return listed
    }

    /// Lists an observer under a new method of its protocol, and under the same method of the adopted protocols.
    private func list(
        _ record: Observer, under method: Method, index: Int, of made: [Method], _ listing: inout LaterListing
    ) throws(Failure) {
        guard let handler = record.handler,
            let function = try listing.later.function(of: method, index: index)
        else { return }
        // Written before a list leads here. The observer's memory has a cell for each possible method.
        peal_handler_cell_at(handler, UInt64(index)).initialize(to: HandledMethods.cell(of: method))
        let family = method.owner.family
        for same in made where same.rank == method.rank && family.contains(same.owner) {
            let added = ObserverTables.Listing(element: same.element, function: function)
            try SnapshotTransaction(inserting: added.entry(of: record), replacing: [], in: same.element).commit()
            listing.methods.append(same)
            listing.listings.append(added)
        }
    }

    /// Notes what was listed, once the protocols have the new methods.
    func noteListed(_ listed: [LaterListing], in center: Center) {
        for listing in listed {
            listing.later.methods += listing.methods
            listing.later.listings += listing.listings
            center.presence?.count(listing.methods, as: 1)
        }
    }
}

extension ObserverTables {
    /// The methods that the observers implement, with later ones. The caller must hold the center's lock.
    var currentMethods: [Method] { later.map { methods + $0.methods } ?? methods }

    /// The caller must hold the center's lock.
    var currentListings: [Listing] { Array(listings) + (later?.listings ?? []) }
}
