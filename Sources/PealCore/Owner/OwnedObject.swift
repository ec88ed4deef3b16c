/// An object that ends when its owner is retired. Observers have no object: see `ObserverSet`.
///
/// `Owner.remove` removes the object from its owner once none of the object's functions is called any more.
protocol OwnedObject: PointerHolder {
    static var kind: OwnedKind { get }
    var kind: OwnedKind { get }
    /// The key of the object among those of its owner: the id of its handle, if it has one.
    var ownedKey: UInt64 { get }
    /// Ends the object alone. The modules or the services of an owner end together instead: see `OwnedKind.end`.
    func end(of owner: Owner)

    /// The object itself, if its functions are called through a record.
    var keeper: (any RecordKeeper)? { get }
    /// True if a thread is in a call of one of the object's functions. The thread waits, or is the calling one.
    func isCalling(on thread: UInt) -> Bool
    /// True if the calling thread is in a call of the object, or ends it, and so cannot wait for its end.
    var isBlockedHere: Bool { get }
    /// False while a function of the object may be called, besides those of its records and those of a queue's host.
    var isFinished: Bool { get }
}

extension OwnedObject {
    func end(of owner: Owner) {}

    var kind: OwnedKind { Self.kind }
    var keeper: (any RecordKeeper)? { nil }
    func isCalling(on thread: UInt) -> Bool { false }
    var isBlockedHere: Bool { false }
    var isFinished: Bool { true }

    /// The object as one of this kind. Each kind is one final class.
    static func cast(_ object: any OwnedObject) -> Self? {
        object.kind == Self.kind ? unsafeDowncast(object, to: Self.self) : nil
    }
}
