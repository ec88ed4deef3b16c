/// A reference that is not counted. The caller guarantees that a counted reference keeps the object meanwhile: that of a
/// pinned slot, or that of a record.
public struct Borrowed<Object: AnyObject>: BitwiseCopyable {
    private let reference: Unmanaged<Object>

    init(_ object: borrowing Object) {
        reference = .passUnretained(copy object)
    }

    /// - Parameter address: The address of an object, as a counted reference in raw memory.
    init(at address: UnsafeMutableRawPointer) {
        reference = .fromOpaque(address)
    }

    /// Counts the reference, which `release` ends.
    init(owning object: Object) {
        reference = .passRetained(object)
    }

    /// The address of the object, as a reference that is not counted.
    var address: UnsafeMutableRawPointer { reference.toOpaque() }

    /// A counted reference.
    public var object: Object { reference.takeUnretainedValue() }

    /// Counts a reference, which `release` ends.
    func retain() { _ = reference.retain() }

    func release() { reference.release() }

    /// Runs `body` with the object, which is not counted for it.
    @inline(__always)
    func with<Value, Mistake>(_ body: (Object) throws(Mistake) -> Value) throws(Mistake) -> Value {
        try reference._withUnsafeGuaranteedRef { (object) -> Result<Value, Mistake> in
            do throws(Mistake) {
                return .success(try body(object))
            } catch {
                return .failure(error)
            }
        }.get()
    }
}
