public import CPeal
internal import Synchronization

/// The services that were found in a center by type or name, so that who gets one by these looks up no text.
///
/// A registration may end, and another take its name: then the handle that is kept here is refused, and looked up anew.
@usableFromInline
final class KnownServices: Sendable {
    /// What leads to a service, without its type.
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let handle: peal_service
        /// The protocol that instances made in Swift provide.
        @usableFromInline let mark: peal_protocol
    }

    private struct Entries {
        /// Those that go by their type's name.
        var byType: [ObjectIdentifier: Entry] = [:]
        var byName: [String: Entry] = [:]
    }

    private let entries = Mutex(Entries())

    func find(_ type: Any.Type, named name: String?) -> Entry? {
        entries.withLock { entries in
            if let name { entries.byName[name] } else { entries.byType[ObjectIdentifier(type)] }
        }
    }

    func note(_ entry: Entry, _ type: Any.Type, named name: String?) {
        entries.withLock { entries in
            if let name { entries.byName[name] = entry } else { entries.byType[ObjectIdentifier(type)] = entry }
        }
    }

    func forget(_ type: Any.Type, named name: String?) {
        entries.withLock { entries in
            if let name { entries.byName[name] = nil } else { entries.byType[ObjectIdentifier(type)] = nil }
        }
    }
}

extension Center {
    /// The service of a type or name, known from before if possible.
    @usableFromInline
    func knownService(_ type: Any.Type, named name: String?) throws(PealError) -> KnownServices.Entry {
        if let known = knownServices.find(type, named: name) { return known }
        let handle = try find(name ?? TypeName.of(type))
        let entry = KnownServices.Entry(handle: handle, mark: ServiceTypes.mark(of: handle) ?? SwiftMark.find(in: self.handle))
        // Without a mark nobody has made it in Swift, and who asks for it is told so.
        if entry.mark.number != 0 { knownServices.note(entry, type, named: name) }
        return entry
    }

    /// Does something with the service of a type or name, and again where what was known of it is out of date.
    @inlinable
    func reach<Instance: Sendable, Result>(
        _ type: Instance.Type, named name: String?, _ body: (Service<Instance>) throws(PealError) -> Result
    ) throws(PealError) -> Result {
        let known = try knownService(type, named: name)
        do throws(PealError) {
            return try body(Service(known))
        } catch {
            guard error.status == .handle else { throw error }
            forgetService(type, named: name)
            return try body(Service(try knownService(type, named: name)))
        }
    }

    @usableFromInline
    func forgetService(_ type: Any.Type, named name: String?) { knownServices.forget(type, named: name) }
}

extension Service {
    @inlinable
    init(_ known: KnownServices.Entry) {
        handle = known.handle
        mark = known.mark
    }
}
