/// The arguments of one call, read one after the other.
@usableFromInline
struct CallArguments {
    @usableFromInline var next: UnsafePointer<UnsafeMutableRawPointer?>?

    @inlinable @inline(__always)
    init(_ first: UnsafePointer<UnsafeMutableRawPointer?>?) { next = first }

    /// The next argument. There are as many as the method's declaration has parameters, of these types.
    @inlinable @inline(__always)
    mutating func read<Value: PealValue>(_ type: Value.Type) -> Value {
        // The C interface gives one pointer a parameter, none of them NULL.
        let place = next.unsafelyUnwrapped
        next = place + 1
        return Value.read(from: place.pointee.unsafelyUnwrapped)
    }
}
