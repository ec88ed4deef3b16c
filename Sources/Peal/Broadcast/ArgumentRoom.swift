/// How much room the arguments of a call take, before there is any.
@usableFromInline
struct ArgumentMeasure {
    /// Bytes of the values, the pointers to them, and what lies beside them.
    @usableFromInline var length = 0
    /// How many there are.
    @usableFromInline var count = 0

    @inlinable @inline(__always)
    init() {}

    /// Adds one argument.
    @inlinable @inline(__always)
    mutating func add<Value: PealValue>(_ value: Value) throws(PealError) {
        length = ArgumentRoom.aligned(length, MemoryLayout<Value.CValue>.alignment) &+ MemoryLayout<Value.CValue>.stride
        length &+= try value.lengthBeside()
        count &+= 1
    }

    /// Adds the pointers, which come last.
    @inlinable @inline(__always)
    var total: Int {
        ArgumentRoom.aligned(length, MemoryLayout<Int>.alignment) &+ count &* MemoryLayout<Int>.stride
    }
}

/// Room that is filled with arguments as C wants them: the values, what they point to, then a pointer a value.
@usableFromInline
struct ArgumentRoom {
    @usableFromInline let base: UnsafeMutableRawPointer
    @usableFromInline let list: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    @usableFromInline var length = 0
    @usableFromInline var count = 0

    @inlinable @inline(__always)
    init(_ base: UnsafeMutableRawPointer, _ measure: ArgumentMeasure) {
        self.base = base
        list = (base + Self.aligned(measure.length, MemoryLayout<Int>.alignment))
            .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    /// Puts one argument in its place; the order and the lengths are those of the measure.
    @inlinable @inline(__always)
    mutating func add<Value: PealValue>(_ value: Value) throws(PealError) {
        let place = base + Self.aligned(length, MemoryLayout<Value.CValue>.alignment)
        let beside = place + MemoryLayout<Value.CValue>.stride
        place.storeBytes(of: value.cValue(beside: beside), as: Value.CValue.self)
        length = beside - base &+ (try value.lengthBeside())
        list[count] = place
        count &+= 1
    }

    @inlinable @inline(__always)
    static func aligned(_ length: Int, _ alignment: Int) -> Int { (length &+ alignment &- 1) & ~(alignment &- 1) }
}

/// Lends arguments as C wants them for a call: on the stack, where they are short.
@inlinable @inline(__always)
func withArguments<each Parameter: PealValue>(
    _ values: repeat each Parameter,
    call: (UnsafeMutablePointer<UnsafeMutableRawPointer?>?, Int) -> Void
) throws(PealError) {
    var measure = ArgumentMeasure()
    _ = (repeat try measure.add(each values))
    var failure: PealError?
    withUnsafeTemporaryAllocation(byteCount: measure.total, alignment: 16) { bytes in
        do throws(PealError) {
            var room = ArgumentRoom(bytes.baseAddress.unsafelyUnwrapped, measure)
            _ = (repeat try room.add(each values))
            call(room.list, room.count)
        } catch {
            failure = error
        }
    }
    if let failure { throw failure }
}
