/// The pointers to arguments that lie in a tuple as C wants them.
@usableFromInline
struct PlainArguments {
    @usableFromInline var next: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    @usableFromInline let tuple: UnsafeMutableRawPointer
    @usableFromInline var length = 0

    @inlinable @inline(__always)
    init(_ list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ tuple: UnsafeMutableRawPointer) {
        next = list
        self.tuple = tuple
    }

    /// Adds the pointer to the next member of the tuple: it lies at the first place after the last one that its
    /// alignment allows.
    @inlinable @inline(__always)
    mutating func add<Value>(_ type: Value.Type) {
        let alignment = MemoryLayout<Value>.alignment
        let start = (length &+ alignment &- 1) & ~(alignment &- 1)
        length = start &+ MemoryLayout<Value>.size
        let place = next.unsafelyUnwrapped
        place.pointee = tuple + start
        next = place + 1
    }
}
