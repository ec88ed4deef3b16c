public import CPeal

extension BoundMethod {
    /// Sends a call.
    ///
    /// - Parameters:
    ///   - options: `nil` for none.
    ///   - result: As for `peal_send`.
    @inlinable @inline(__always)
    func send(
        _ arguments: repeat each Parameter, options: UnsafePointer<peal_send_options>?, result: UnsafeMutableRawPointer?
    ) throws(PealError) -> Delivery {
        guard needsNoEncoding else { return try sendEncoded(repeat each arguments, options: options, result: result) }
        var calls = 0
        let status = Self.sendPlainly(repeat each arguments, to: handle, options: options, result: result, &calls)
        if _slowPath(status.rawValue < 0) { throw PealError.failure(status) }
        return Delivery(status: Status(rawValue: Int32(status.rawValue)), calls: calls)
    }

    /// Sends a call with values that are their own representation.
    @inlinable @inline(__always)
    static func sendPlainly(
        _ arguments: repeat each Parameter, to method: peal_method, options: UnsafePointer<peal_send_options>?,
        result: UnsafeMutableRawPointer?, _ calls: inout Int
    ) -> peal_status {
        var parameters = ParameterCount()
        _ = (repeat parameters.add((each Parameter).self))
        var values = (repeat each arguments)
        return withUnsafeMutablePointer(to: &values) { values in
            withUnsafeTemporaryAllocation(
                of: UnsafeMutableRawPointer?.self, capacity: parameters.value
            ) { room in
                var list = PlainArguments(room.baseAddress, UnsafeMutableRawPointer(values))
                _ = (repeat list.add((each Parameter).self))
                return peal_status.sent(to: method, room.baseAddress, parameters.value, options, result, &calls)
            }
        }
    }

    /// Sends a call with values that are not their own representation.
    @inlinable
    func sendEncoded(
        _ arguments: repeat each Parameter, options: UnsafePointer<peal_send_options>?, result: UnsafeMutableRawPointer?
    ) throws(PealError) -> Delivery {
        var calls = 0
        let status = try Self.withEncoded(repeat each arguments) { list, count in
            .sent(to: handle, list, count, options, result, &calls)
        }
        return Delivery(status: Status(rawValue: Int32(status.rawValue)), calls: calls)
    }

    /// Calls a function of the C interface with encoded arguments. These are written to a room on the stack, or on the
    /// heap where they take more than a kilobyte.
    @inlinable
    static func withEncoded(
        _ arguments: repeat each Parameter,
        to function: (UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int) -> peal_status
    ) throws(PealError) -> peal_status {
        var parameters = ParameterCount()
        _ = (repeat parameters.addAll(of: (each Parameter).self))
        var missing = 0
        var status = withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 16) { bytes in
            var room = ArgumentRoom(bytes, count: parameters.value)
            _ = (repeat (each arguments).write(to: &room))
            return room.pass(&missing, to: function)
        }
        if _slowPath(missing > 0) {
            status = withUnsafeTemporaryAllocation(byteCount: missing, alignment: 16) { bytes in
                var room = ArgumentRoom(bytes, count: parameters.value)
                _ = (repeat (each arguments).write(to: &room))
                return room.pass(&missing, to: function)
            }
        }
        if _slowPath(status.rawValue < 0) {
            if status == ArgumentRoom.refused {
                for value in repeat each arguments { if let refusal = value.refusal { throw refusal } }
            }
            throw PealError.failure(status)
        }
        if _slowPath(status == PEAL_DEFERRED) { _ = (repeat (each arguments).wasDeferred()) }
        return status
    }
}

extension peal_status {
    /// The status of `peal_send` or, with options, `peal_send_with`.
    @inlinable @inline(__always)
    static func sent(
        to method: peal_method, _ list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ count: Int,
        _ options: UnsafePointer<peal_send_options>?, _ result: UnsafeMutableRawPointer?, _ calls: inout Int
    ) -> peal_status {
        if let options { return peal_send_with(method, list, count, options, result, &calls) }
        return peal_send(method, list, count, result, &calls)
    }
}

extension BoundMethod where Result == Void {
    /// Calls all observers, one after the other, on this thread; those with queues get a copy of the call.
    ///
    /// Allocates nothing where the arguments take less than a kilobyte.
    ///
    /// - Parameter arguments: The observers' arguments. Copied for those with queues.
    /// - Returns: The number of observers.
    /// - Throws: ``Status/handle`` once the center has ended, ``Status/depth`` and ``Status/recursion`` from within
    ///   callbacks, ``Status/argument`` for a string with a zero inside. No observer was called then.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_send`.
    @discardableResult @inlinable
    public func callAsFunction(_ arguments: repeat each Parameter) throws(PealError) -> Delivery {
        try send(repeat each arguments, options: nil, result: nil)
    }

    /// Calls all observers: the call of the method itself, by a name.
    ///
    /// - Parameter arguments: The observers' arguments.
    /// - Returns: The number of observers.
    /// - Throws: As the call of the method.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_send`.
    @discardableResult @inlinable
    public func broadcast(_ arguments: repeat each Parameter) throws(PealError) -> Delivery {
        try send(repeat each arguments, options: nil, result: nil)
    }
}

/// The outcome of a broadcast.
public struct Delivery: Hashable, Sendable {
    /// ``Status/ok``; ``Status/deferred`` when no observer was called yet; ``Status/rejected`` when a full queue
    /// refused its calls, and the others were made.
    public let status: Status
    /// How many observers were called, or have the call on their queue.
    public let calls: Int

    @inlinable
    init(status: Status, calls: Int) {
        self.status = status
        self.calls = calls
    }
}

/// The list of pointers that C expects, to arguments in a tuple.
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

    /// Adds the pointer to the next member of the tuple: it begins at the next offset that its alignment allows.
    @inlinable @inline(__always)
    mutating func add<Value>(_ type: Value.Type) {
        let alignment = MemoryLayout<Value>.alignment
        let start = (length &+ alignment &- 1) & ~(alignment &- 1)
        length = start &+ MemoryLayout<Value>.size
        let pointer = next.unsafelyUnwrapped
        pointer.pointee = tuple + start
        next = pointer + 1
    }
}

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
        let pointer = allocate(byteCount: MemoryLayout<CValue>.stride, alignment: MemoryLayout<CValue>.alignment)
        guard let pointer else { return }
        pointer.storeBytes(of: value, as: CValue.self)
        list[count] = pointer
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

    /// Passes the content of the room to a function. If not all fits, the function is not called, and `missing` has the
    /// needed size.
    @inlinable @inline(__always)
    func pass(
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
