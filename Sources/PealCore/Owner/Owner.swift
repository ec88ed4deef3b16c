internal import CPealSupport
import PealCall

/// A set of registrations that end together, for example those of a plugin.
public final class Owner: Sendable {
    public let id: UInt64
    public let name: String
    private let members = Guarded(Members())

    private struct Members {
        /// True once the owner accepts no more objects.
        var isRetired = false
        /// The thread that ends the objects now.
        var ender: LiveThread?
        var observers = ObserverSet<LinkOfOwner>()
        var objects: [UInt64: any OwnedObject] = [:]
        /// The tokens of completions that calls of its observers have.
        var tokens: Set<UInt64> = []
    }

    private init(id: UInt64, name: String) {
        self.id = id
        self.name = name
    }

    public static func make(_ name: String) throws(Failure) -> Owner {
        guard name.utf8.count <= longestName else {
            throw Failure(.argument, "the name of an owner has \(name.utf8.count) bytes; \(longestName) at most")
        }
        try CallerText.checkName(name.utf8, "the name of an owner")
        return try Handles.owners.insert { Owner(id: $0, name: name) }
    }

    private static var longestName: Int { 255 }

    /// The handles of the observers that have not been removed.
    public var observations: [UInt64] {
        let observers = observers
        defer { extendLifetime(observers) }
        return observers.records.filter { !ObserverGate.isEnding($0.gate) }.map { $0.pointee.id }.ordered {
            SortKey($0)
        }
    }

    /// Adds an object. The caller must hold the lock under which the object is found, or a reference that keeps the object
    /// from ending before.
    func add(_ object: any OwnedObject) throws(Failure) {
        try add { $0.objects[object.ownedKey] = object }
    }

    /// Adds an observer. The caller must hold the center's lock, because a thread that has closed the observer removes it
    /// from its owner after it has held the lock.
    func add(_ record: Observer) throws(Failure) {
        try add { $0.observers.add(record) }
    }

    private func add(_ add: (inout Members) -> Void) throws(Failure) {
        let isKept = members.withLock { members in
            if !members.isRetired { add(&members) }
            return !members.isRetired
        }
        guard isKept else { throw .staleOwner }
    }

    /// Removes an object, once none of its functions is called any more.
    func remove(_ object: any OwnedObject) {
        // The object is released without the lock, because its release may run user code.
        let removed = members.withLock { $0.objects.removeValue(forKey: object.ownedKey) }
        extendLifetime(removed)
        RunningCalls.signal()
    }

    /// Removes an observer, once none of its functions is called any more.
    func remove(_ record: Observer) {
        nonisolated(unsafe) let record = record
        if members.withLock({ $0.observers.remove(record) }) { RunningCalls.signal() }
    }

    /// The current observers. The set may change afterwards.
    var observers: KeptObservers { members.withLock { $0.observers.kept } }

    /// Tokens may also belong to an owner that ends, because its observers' calls still run.
    func add(token: UInt64) { members.withLock { _ = $0.tokens.insert(token) } }
    func remove(token: UInt64) { members.withLock { _ = $0.tokens.remove(token) } }

    /// The tokens that have neither been answered nor ended. They are copied one by one, because the thread sanitizer does
    /// not see the counts of a set that a thread reads while another thread changes its own copy.
    var tokens: [UInt64] { members.withLock { $0.tokens.map { $0 } } }

    /// The other current objects.
    var objects: [any OwnedObject] {
        members.withLock { Array($0.objects.values) }
    }

    /// The objects of one kind.
    func members<Kind: OwnedObject>(_: Kind.Type) -> [Kind] {
        objects.compactMap(Kind.cast)
    }

    /// The thread that ends the objects now; 0: none.
    var ender: UInt { members.withLock { $0.ender }.map { $0.isLost ? 0 : $0.slot } ?? 0 }

    /// Accepts no object afterwards.
    ///
    /// - Returns: True if the calling thread must end the objects: it is the first, or a fork has left the thread in the
    ///   parent that was ending them.
    func beginRetiring() -> Bool {
        members.withLock { members in
            guard !members.isRetired || members.ender?.isLost ?? false else { return false }
            members.isRetired = true
            members.ender = .current
            return true
        }
    }

    /// Called when all objects have been ended. Wakes the threads that wait for that.
    func endRetiring() {
        members.withLock { $0.ender = nil }
        RunningCalls.signal()
    }
}

extension Failure {
    public static let staleOwner = Failure(
        .handle, "the owner's handle is invalid: zero, never created, or of an owner that was retired")
}
