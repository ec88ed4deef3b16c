public import CPeal
internal import Synchronization

/// The services that were found in a center by type or name, so that a get by these looks up no text. Services found
/// by their types are read without a lock.
///
/// A registration may end, and another one use its name: then the cached handle is refused, and the service is looked
/// up again.
@usableFromInline
final class KnownServices: Sendable {
    /// The reference of a service, without its type.
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let handle: peal_service
        /// The protocol that instances made in Swift provide.
        @usableFromInline let mark: peal_protocol
    }

    private struct Entries {
        /// Services that are found by their type's name, and have no slot in the table.
        var byType: [ObjectIdentifier: Entry] = [:]
        var byName: [String: Entry] = [:]
    }

    private let entries = Mutex(Entries())
    private let table = ServicesByType()

    func find(_ type: Any.Type, named name: String?) -> Entry? {
        if name == nil, let entry = table.find(type) { return entry }
        return entries.withLock { entries in
            if let name { entries.byName[name] } else { entries.byType[ObjectIdentifier(type)] }
        }
    }

    /// Stores a service that was found, or removes a stale one where `entry` is nil.
    func put(_ entry: Entry?, _ type: Any.Type, named name: String?) {
        entries.withLock { entries in
            if let name {
                entries.byName[name] = entry
            } else if !table.put(entry, for: type) {
                entries.byType[ObjectIdentifier(type)] = entry
            }
        }
    }
}

extension Center {
    /// The service of a type or name, from the cache if possible.
    @usableFromInline
    func knownService(_ type: Any.Type, named name: String?) throws(PealError) -> KnownServices.Entry {
        if let known = knownServices.find(type, named: name) { return known }
        let handle = try find(name ?? TypeName.of(type))
        let entry = KnownServices.Entry(
            handle: handle, mark: ServiceTypes.mark(of: handle) ?? SwiftMark.find(in: self.handle))
        // A service without a mark was not made in Swift, so the get fails.
        if entry.mark.id != 0 { knownServices.put(entry, type, named: name) }
        return entry
    }

    /// Calls a body with the service of a type or name, and once more where the cached handle was stale.
    @inlinable
    func reach<Instance: Sendable, Result>(
        _ type: Instance.Type, named name: String?, _ body: (ServiceProvider<Instance>) throws(PealError) -> Result
    ) throws(PealError) -> Result {
        let known = try knownService(type, named: name)
        do throws(PealError) {
            return try body(ServiceProvider(known))
        } catch {
            guard error.status == .handle else { throw error }
            removeService(type, named: name)
            return try body(ServiceProvider(try knownService(type, named: name)))
        }
    }

    @usableFromInline
    func removeService(_ type: Any.Type, named name: String?) { knownServices.put(nil, type, named: name) }
}

extension ServiceProvider {
    @inlinable
    init(_ known: KnownServices.Entry) {
        handle = known.handle
        mark = known.mark
    }
}
