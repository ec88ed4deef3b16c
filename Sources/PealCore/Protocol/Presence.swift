internal import CPealSupport

/// The presence of a center's observers and protocols, which it announces to the observers of `PealPresence`. A center
/// has this object once a caller has found or defined that protocol. Guarded by the center's lock.
final class Presence: @unchecked Sendable {
    // Unchecked: guarded by the center's lock.

    static let name = "PealPresence"
    static let methods = [
        "optional void method_observed(const char *protocol, const char *method)",
        "optional void method_unobserved(const char *protocol, const char *method)",
        "optional void protocol_defined(const char *protocol)",
        "optional void protocol_grown(const char *protocol, size_t count)",
        "optional void protocol_removed(const char *protocol)",
    ]

    /// The methods of `PealPresence`, in order.
    private enum Kind: UInt32 { case observed, unobserved, defined, grown, removed }

    private let proto: PealProtocol
    /// The announcements that wait, in the order of the changes.
    private var first: UnsafeMutablePointer<peal_announcement>?
    private var last: UnsafeMutablePointer<peal_announcement>?
    /// The number of the process in which a thread announces; nil: none does. A fork leaves that thread in the parent.
    private var announcing: UInt32?

    init(_ proto: PealProtocol) { self.proto = proto }

    deinit {
        while let waiting = first {
            first = waiting.pointee.next
            peal_memory_free(waiting)
        }
    }

    /// Counts an observer of some methods, or one less, and notes the first and the last one.
    ///
    /// The functions here do not get the center's state: a registration would copy it for them.
    func count(_ methods: [Method], as difference: Int32) {
        for method in methods where method.owner != proto {
            let count = peal_directory_add_observers(method.element, difference)
            guard count == (difference > 0 ? 1 : 0) else { continue }
            note(difference > 0 ? .observed : .unobserved, method.owner, method.nameInOwner)
        }
    }

    func noteDefined(_ proto: PealProtocol) { note(.defined, proto) }

    func noteGrown(_ proto: PealProtocol) { note(.grown, proto) }

    func noteRemoved(_ proto: PealProtocol) { note(.removed, proto) }

    private func note(_ kind: Kind, _ changed: PealProtocol, _ method: String? = nil) {
        // The protocol of a property is not announced. If memory is refused, the announcement is lost.
        guard proto.state.conformerCount > 0, !changed.state.isOfProperty,
            let noted = peal_announcement_make(kind.rawValue, changed.name, method, UInt64(changed.state.all.count))
        else { return }
        if let last { last.pointee.next = noted } else { first = noted }
        last = noted
        peal_announce_later(proto.center.id) { Presence.announce(in: $0) }
    }

    /// The method of `PealPresence` that an announcement broadcasts.
    private func method(of waiting: UnsafeMutablePointer<peal_announcement>) -> Method {
        proto.state.own[Int(waiting.pointee.rank)]
    }

    /// An announcement that was taken, with its method.
    private struct Taken: @unchecked Sendable {
        // Unchecked: one thread has it.
        let announcement: UnsafeMutablePointer<peal_announcement>
        let method: Method
    }

    /// Takes the next announcement.
    ///
    /// - Parameter continues: True for the thread that announces already.
    /// - Returns: nil if none waits, or if another thread announces, which takes it later.
    private func take(continues: Bool) -> Taken? {
        let process = peal_fork_generation()
        if !continues, announcing == process { return nil }
        guard let taken = first else {
            announcing = nil
            return nil
        }
        announcing = process
        first = taken.pointee.next
        if first == nil { last = nil }
        return Taken(announcement: taken, method: method(of: taken))
    }

    /// Broadcasts the announcements that wait. One thread of a center at a time does this, so they stay in order. Call
    /// with no lock held.
    ///
    /// - Parameter id: The id of the center; 0: all centers.
    private static func announce(in id: UInt64) {
        for center in (id == 0 ? Handles.centers.ids : [id]).compactMap(Handles.centers.find) {
            var continues = false
            while let taken = take(in: center, continues: continues) {
                continues = true
                broadcast(taken)
                peal_memory_free(taken.announcement)
            }
        }
    }

    private static func take(in center: Center, continues: Bool) -> Taken? {
        let taken = try? center.withState { (_) throws(Failure) in center.presence?.take(continues: continues) }
        return taken ?? nil
    }

    private static func broadcast(_ taken: Taken) {
        let arguments: (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) = (
            peal_announcement_argument(taken.announcement, 0), peal_announcement_argument(taken.announcement, 1)
        )
        withUnsafePointer(to: arguments) { arguments in
            _ = Broadcast.send(
                taken.method.id,
                arguments: UnsafeRawPointer(arguments).assumingMemoryBound(to: UnsafeMutableRawPointer?.self),
                count: taken.method.parameterCount, request: BroadcastRequest(result: nil), calls: nil)
        }
    }
}

extension CenterState {
    /// Begins to count the observers of methods, when `PealPresence` is defined.
    func beginPresence(_ proto: PealProtocol) {
        peal_announcements_use()
        let presence = Presence(proto)
        for other in protocols {
            for record in other.registeredObservers.all { presence.count(record.tables.currentMethods, as: 1) }
        }
        proto.center.presence = presence
    }
}

extension Method {
    /// The name by which its owner finds it. The caller must hold the center's lock.
    fileprivate var nameInOwner: String {
        let isOnly = origin == owner || owner.state.methods(named: name).count == 1
        return isOnly ? name : title
    }
}
