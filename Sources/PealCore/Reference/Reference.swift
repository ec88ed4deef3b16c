/// What the handle of a counted object leads to while the object lives.
public final class Reference: Sendable {
    public let number: UInt64
    let box: ReferenceBox

    private init(number: UInt64, box: ReferenceBox) {
        self.number = number
        self.box = box
    }

    deinit {
        box.disown()
    }

    /// Makes a counted object with one share.
    ///
    /// `destroy` is not called when this fails.
    public static func make(
        _ object: UnsafeMutableRawPointer, destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
    ) throws(Failure) -> UInt64 {
        var isMemoryShort = false
        let made = Handles.references.insert { number in
            guard let box = ReferenceBox.make(object, destroy: destroy, number: number) else {
                isMemoryShort = true
                return nil
            }
            return Reference(number: number, box: box)
        }
        guard let made else { throw isMemoryShort ? .outOfMemory : .tooManyReferences }
        return made.number
    }

    /// Takes a share of the object, if it is alive.
    ///
    /// - Returns: The object.
    public static func retain(_ number: UInt64) throws(Failure) -> UnsafeMutableRawPointer {
        try withBox(of: number) { (box) throws(Failure) in
            switch box.tryRetain() {
            case .yes: box.object
            case .dead: throw .deadReference
            case .tooOften: throw .tooManyShares
            }
        }
    }

    /// Gives a share back. The last one ends the object: call with no lock held.
    public static func release(_ number: UInt64) throws(Failure) {
        try withBox(of: number) { (box) throws(Failure) in
            guard box.release() else { throw .deadReference }
        }
    }

    /// How many shares there are.
    public static func count(_ number: UInt64) -> Int {
        let count = try? withBox(of: number) { Int($0.count) }
        return count ?? 0
    }

    /// The box of a handle, for who would look it up often. Its memory is the caller's, to `disown`.
    public static func box(of number: UInt64) throws(Failure) -> ReferenceBox {
        try withBox(of: number) { box in
            box.own()
            return box
        }
    }

    private static func withBox<Result>(
        of number: UInt64, _ body: (ReferenceBox) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let reference = Handles.references.find(number) else { throw .deadReference }
        // The box has no part in its own memory: without this, another thread's last release frees it.
        defer { extendLifetime(reference) }
        return try body(reference.box)
    }
}

extension Failure {
    public static let deadReference = Failure(
        .handle, "the reference is zero, made up, or its object is dead; retain it for as long as you use the object")
    static let tooManyShares = Failure(
        .limit, "the object has \(UInt32.max) shares; release those that are not needed")
    static let tooManyReferences = Failure(
        .limit, "there are too many references in the process; release those that are not needed")
}
