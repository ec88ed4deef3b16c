internal import CPealSupport

/// Counted objects. The id of a counted object is a weak reference, see reference.h. No function takes a lock.
public enum Reference {
    /// Makes a counted object with one strong reference.
    ///
    /// `destroy` is not called when this fails.
    public static func make(
        _ object: UnsafeMutableRawPointer, destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
    ) throws(Failure) -> UInt64 {
        var id: UInt64 = 0
        switch peal_counted_make(object, destroy, &id) {
        case PEAL_SLOT_FULL: throw .tooManyReferences
        case PEAL_SLOT_NO_MEMORY: throw .outOfMemory
        default: return id
        }
    }

    /// Adds a strong reference if the object is alive.
    ///
    /// - Returns: The object.
    public static func retain(_ id: UInt64) throws(Failure) -> UnsafeMutableRawPointer {
        var object: UnsafeMutableRawPointer?
        switch peal_counted_retain(id, &object) {
        case PEAL_RETAINED_DEAD: throw .deadReference
        case PEAL_RETAINED_TOO_OFTEN: throw .tooManyShares
        default: return object.unsafelyUnwrapped
        }
    }

    static func tryRetain(_ id: UInt64) -> Bool {
        var object: UnsafeMutableRawPointer?
        return peal_counted_retain(id, &object) == PEAL_RETAINED
    }

    /// Removes a strong reference. The last removal destroys the object, so the caller must hold no lock.
    public static func release(_ id: UInt64) throws(Failure) {
        guard peal_counted_release(id) else { throw .deadReference }
    }

    /// The count of strong references, zero if the object is dead.
    public static func count(_ id: UInt64) -> Int {
        Int(peal_counted_count(id))
    }

    /// The object, if it is alive.
    @discardableResult
    public static func object(of id: UInt64) throws(Failure) -> UnsafeMutableRawPointer {
        guard let object = peal_counted_object(id) else { throw .deadReference }
        return object
    }

    /// Has an observer end with its target, if that is a counted object. Called before a list has the observer.
    static func addObserver(_ record: Observer) throws(Failure) {
        guard record.isCounted else { return }
        guard peal_counted_add(id(of: record), record, { Reference.endObservers(of: $0) }) else {
            throw .deadReference
        }
    }

    static func removeObserver(_ record: Observer) {
        if record.isCounted { peal_counted_remove(id(of: record), record) }
    }

    /// Ends the observers of an object that has died, on the thread that released it last.
    private static func endObservers(of id: UInt64) {
        while let record = peal_counted_take(id) {
            _ = Observation.Removal.end(record.pointee.id)
            ObserverLife.releaseMemory(record)
        }
    }

    private static func id(of record: Observer) -> UInt64 {
        UInt64(UInt(bitPattern: record.extras?.pointee.reference))
    }

    /// The destroy callbacks that will be called or have not returned yet.
    static var destroyCallbacks: [@convention(c) (UnsafeMutableRawPointer?) -> Void] {
        (0..<peal_slots_end(peal_slots_of(PEAL_SLOTS_REFERENCES))).compactMap(peal_counted_destroy_at)
    }
}

extension Failure {
    public static let deadReference = Failure(
        .handle,
        "the reference is invalid: zero, never created, or its object is dead; retain it while you use the object")
    static let tooManyShares = Failure(
        .limit, "the object has \(UInt32.max) references; release those that are not needed")
    static let tooManyReferences = Failure(
        .limit, "there are too many references in the process; release those that are not needed")
}
