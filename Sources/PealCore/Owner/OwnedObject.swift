/// An object that belongs to an owner, which ends it when it is retired.
///
/// It leaves its owner by `Owner.remove` once none of its functions is called any more.
protocol OwnedObject: PointerHolder {
    /// The key of the object among those of its owner: the number of its handle, if it has one.
    var ownedKey: UInt64 { get }
    /// Ends the objects of this kind that an owner has. Objects that have ended already are among them, if their functions
    /// may still be called.
    static func end(_ objects: [any OwnedObject], of owner: Owner, deadline: UInt64)
    /// Ends the object, where it does not matter with which others it ends.
    func end(of owner: Owner)

    /// The objects that are called by a record for this one.
    var keepers: [any RecordKeeper] { get }
    /// True if a thread is in a call of one of the object's functions. The thread waits, or is the calling one.
    func isCalling(on thread: UInt) -> Bool
    /// True if the calling thread is in a call of the object, or ends it, and so cannot wait for its end.
    var isHeldUpHere: Bool { get }
    /// False while a function of the object may be called, besides those of its records and those of a queue's host.
    var isFinished: Bool { get }
}

extension OwnedObject {
    static func end(_ objects: [any OwnedObject], of owner: Owner, deadline: UInt64) {
        for object in objects { object.end(of: owner) }
    }
    func end(of owner: Owner) {}

    var keepers: [any RecordKeeper] { [] }
    func isCalling(on thread: UInt) -> Bool { false }
    var isHeldUpHere: Bool { false }
    var isFinished: Bool { true }

    /// The object as one of this kind. Every kind is a final class, so no search for conformances is needed.
    static func cast(_ object: any OwnedObject) -> Self? {
        type(of: object) == Self.self ? unsafeDowncast(object, to: Self.self) : nil
    }
}
