import CPeal

/// Swift objects in the hands of the C interface.
///
/// The one place of the Swift API that counts references by hand: C's destroy callback releases the reference that
/// `retain` passes to C.
@usableFromInline
enum Box {
    /// A pointer to an object that is kept until ``release(_:)``.
    static func retain(_ object: AnyObject) -> UnsafeMutableRawPointer {
        Unmanaged.passRetained(object).toOpaque()
    }

    /// A pointer to an object that other code keeps alive.
    static func address(of object: AnyObject) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(object).toOpaque()
    }

    /// The object, without a retain: the caller must keep it alive.
    @inlinable @inline(__always)
    static func borrow<Object: AnyObject, Result>(
        _ pointer: UnsafeMutableRawPointer, as type: Object.Type, _ body: (Object) -> Result
    ) -> Result {
        Unmanaged<Object>.fromOpaque(pointer)._withUnsafeGuaranteedRef(body)
    }

    /// The object, as a reference that the caller retains.
    @inlinable @inline(__always)
    static func object<Object: AnyObject>(_ pointer: UnsafeMutableRawPointer, as type: Object.Type) -> Object {
        Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// A destroy callback of the C interface.
    static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
        if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
    }
}

extension Box {
    /// A retain function of the C interface: ``release`` undoes it.
    static let retainAgain: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
        if let pointer { _ = Unmanaged<AnyObject>.fromOpaque(pointer).retain() }
    }
}

/// A reference that is not counted, to an object that other code keeps alive.
///
/// Unchecked: what it reads of the object must be constants of sendable types.
@usableFromInline
struct Borrowed<Object: AnyObject>: @unchecked Sendable {
    @usableFromInline let object: Unmanaged<Object>

    /// The object at a pointer of ``Box``.
    @inlinable
    init(_ pointer: UnsafeMutableRawPointer) { object = .fromOpaque(pointer) }

    @inlinable @inline(__always)
    func read<Result>(_ body: (Object) -> Result) -> Result { object._withUnsafeGuaranteedRef(body) }
}
