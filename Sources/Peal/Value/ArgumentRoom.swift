public import CPeal

/// The memory for the arguments of a call in the form of C: a pointer for each argument, the values, and the memory
/// that they point to.
///
/// Only code that conforms a type of its own to ``PealValue`` uses it.
public struct ArgumentRoom {
    /// The pointers to the arguments.
    @usableFromInline let list: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    @usableFromInline let base: UnsafeMutableRawPointer
    @usableFromInline let capacity: Int
    /// How many bytes are taken, also those that did not fit.
    @usableFromInline var length: Int
    @usableFromInline var count = 0
    @usableFromInline var isRefused = false

    /// Room for `count` arguments in some bytes.
    @inlinable @inline(__always)
    init(_ bytes: UnsafeMutableRawBufferPointer, count: Int) {
        base = bytes.baseAddress.unsafelyUnwrapped
        list = base.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        capacity = bytes.count
        length = count &* MemoryLayout<Int>.stride
    }

    /// Bytes beside the values, valid while the call runs.
    ///
    /// - Returns: `nil` where they do not fit; then the representation is not used, and all arguments are written again
    ///   to a larger room.
    @inlinable @inline(__always)
    public mutating func allocate(byteCount: Int, alignment: Int) -> UnsafeMutableRawPointer? {
        let start = (length &+ alignment &- 1) & ~(alignment &- 1)
        length = start &+ byteCount
        return length <= capacity ? base + start : nil
    }

    /// Records that a value cannot be sent: the broadcast calls no observer, and throws the value's
    /// ``PealParameter/refusal``.
    @inlinable
    public mutating func refuse() { isRefused = true }

    /// Adds an argument.
    @inlinable @inline(__always)
    mutating func add<CValue>(_ value: CValue) {
        let place = allocate(byteCount: MemoryLayout<CValue>.stride, alignment: MemoryLayout<CValue>.alignment)
        guard let place else { return }
        place.storeBytes(of: value, as: CValue.self)
        list[count] = place
        count &+= 1
    }
}

/// How many parameters there are.
@usableFromInline
struct ParameterCount {
    @usableFromInline var value = 0

    @inlinable @inline(__always)
    init() {}

    @inlinable @inline(__always)
    mutating func add<Value>(_ type: Value.Type) { value &+= 1 }

    /// Counts the parameters in C.
    @inlinable @inline(__always)
    mutating func addAll<Value: PealParameter>(of type: Value.Type) { value &+= Value.parameterCount }
}

extension ArgumentRoom {
    /// The status for a refused value. No function of the C interface returns it.
    @inlinable
    static var refused: peal_status { PEAL_STATUS_RESERVED_ }

    /// Lends the content of the room. If not all fits, nothing is lent, and `missing` has the needed size.
    @inlinable @inline(__always)
    func lend(
        _ missing: inout Int, to function: (UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int) -> peal_status
    ) -> peal_status {
        if _slowPath(length > capacity) {
            missing = length
            return PEAL_OK
        }
        if _slowPath(isRefused) { return Self.refused }
        return function(list, count)
    }
}
