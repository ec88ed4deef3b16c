public import CPeal

/// A named value of a center, whose observers are notified of each change.
///
///     let volume = try Property("volume", initially: Int32(5), in: center)
///     let shown = try volume.observe { old, new in print("from \(old) to \(new)") }
///     try volume.set(7)
///
/// All definitions of one name and type, in any language, denote the same property. This is a small value that
/// denotes it and may be copied freely. It ends with its center, with its owner, or by ``remove()``; from then on all
/// its functions throw ``Status/handle``.
///
/// Reading never waits. A set takes effect at once; observers are notified of the sets in their order, one change at a
/// time.
public struct Property<Value: PealValue & Sendable>: Sendable {
    /// The property in the C interface.
    public let handle: peal_property
    /// True for a C string, which the C interface copies, and reads by another function.
    @usableFromInline let isText: Bool

    /// Defines a property, or finds the one of that name. An existing one keeps its value.
    ///
    /// - Parameters:
    ///   - name: 1 to 255 bytes.
    ///   - initial: Its value, if it is new.
    ///   - center: The center.
    ///   - ignoresEqual: True if a set to an equal value notifies no observer. Values with equal bytes are equal.
    ///   - owner: The owner that defines it: it ends with the last owner. nil: the thread's, if any.
    /// - Throws: ``Status/conflict`` when the name has another type, or another `ignoresEqual`; ``Status/type`` for a
    ///   type that cannot be a value.
    ///
    /// Thread rule: any thread. The C interface's `peal_property_define`.
    public init(
        _ name: String, initially initial: Value, in center: Center = .default, ignoresEqual: Bool = false,
        owner: peal_owner? = nil
    ) throws(PealError) {
        let type = try Self.cType(of: name, in: center)
        var options = peal_property_options()
        options.size = MemoryLayout<peal_property_options>.size
        options.flags = ignoresEqual ? UInt32(PEAL_PROPERTY_IGNORE_EQUAL.rawValue) : 0
        options.owner = owner ?? peal_owner(id: 0)
        var handle = peal_property(id: 0)
        let status = try Representation.withEncoded(initial) { value in
            peal_property_define(center.handle, name, type, value, &options, &handle)
        }
        try PealError.check(status)
        self.handle = handle
        isText = Self.isText
    }

    /// Finds a property that other code has defined.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - center: The center.
    /// - Throws: ``Status/notFound``; ``Status/type`` when it has another type.
    ///
    /// Thread rule: any thread. The C interface's `peal_property_find`.
    public init(existing name: String, in center: Center = .default) throws(PealError) {
        let type = try Self.cType(of: name, in: center)
        var handle = peal_property(id: 0)
        try PealError.check(peal_property_find(center.handle, name, type, &handle))
        self.handle = handle
        isText = Self.isText
    }

    /// The name.
    ///
    /// - Returns: The name with which it was defined.
    /// - Throws: ``Status/handle`` once the property has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_property_name`.
    public func name() throws(PealError) -> String {
        try CStrings.copied { Status(peal_property_name(handle, $0, $1, $2)) }
    }

    /// Ends the property, also one that another owner defined: its observers are removed, and waiting changes are
    /// dropped.
    ///
    /// - Throws: ``Status/handle`` once it has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_property_remove`.
    public func remove() throws(PealError) { try PealError.check(peal_property_remove(handle)) }

    private static var isText: Bool {
        Value.cType.text == String.cType.text && Value.CValue.self == String.CValue.self
    }
}

extension Property {
    /// The type as the center's property has it, if there is one and Swift's type is the same by another spelling:
    /// `int` is `int32_t`. Else as Swift declares it.
    static func cType(of name: String, in center: Center) throws(PealError) -> String {
        let type = ValueType(Value.self)
        if let misplacement = type.misplacement { throw PealError(status: .type, message: misplacement) }
        if let declaration = type.type.declaration {
            try PealError.check(peal_type_declare(center.handle, declaration))
        }
        let text = try known(name, in: center) ?? type.type.text
        let description = try TypeDescription(text, in: center.handle)
        let found = description.type.pointee
        if TypeComparison(center: center.handle).fits(type, found) { return text }
        throw PealError(
            status: text == type.type.text ? .type : .conflict,
            message: "property \(name): it is \(text), of \(found.value_size) bytes, and Swift declares "
                + "\(type.swiftName), which is \(type.type), of \(type.size)")
    }

    private static func known(_ name: String, in center: Center) throws(PealError) -> String? {
        var handle = peal_property(id: 0)
        guard peal_property_find(center.handle, name, nil, &handle) == PEAL_OK else { return nil }
        return try CStrings.copied { Status(peal_property_type(handle, $0, $1, $2)) }
    }
}

/// A value as C has it, for a call.
@usableFromInline
enum Representation {
    /// Calls a function with a value's representation. Its memory is on the stack, or in the given room.
    @inlinable @inline(__always)
    static func withEncoded<Value: PealValue, Result>(
        _ value: Value, _ body: (UnsafePointer<Value.CValue>) -> Result
    ) throws(PealError) -> Result {
        var missing = 0
        if let result = attempt(value, 1024, &missing, body) { return result }
        if let refusal = value.refusal { throw refusal }
        // A value that did not fit at first fits now.
        return attempt(value, missing, &missing, body).unsafelyUnwrapped
    }

    @inlinable @inline(__always)
    static func attempt<Value: PealValue, Result>(
        _ value: Value, _ capacity: Int, _ missing: inout Int, _ body: (UnsafePointer<Value.CValue>) -> Result
    ) -> Result? {
        withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 16) { bytes in
            var room = ArgumentRoom(bytes, count: 0)
            let representation = value.cValue(in: &room)
            missing = room.length
            return room.length > room.capacity || room.isRefused ? nil : withUnsafePointer(to: representation, body)
        }
    }
}

extension Property {
    /// The value now. Takes no lock, and never waits.
    ///
    /// - Throws: ``Status/handle`` once the property has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_property_get`, `peal_property_get_text`.
    @inlinable
    public var value: Value {
        get throws(PealError) {
            if isText { return try text() }
            let read = withUnsafeTemporaryAllocation(of: Value.CValue.self, capacity: 1) { room in
                let status = peal_property_get(handle, room.baseAddress, MemoryLayout<Value.CValue>.stride)
                return (status, status == PEAL_OK ? Value(cValue: room[0]) : nil)
            }
            guard let value = read.1 else { throw PealError.failure(read.0) }
            return value
        }
    }

    /// Sets the value, and notifies the observers before it returns, or leaves that to the notifying thread.
    ///
    /// - Parameter value: The new value; copied.
    /// - Returns: ``Status/ok``; ``Status/deferred``: set, and notified later, because a notification runs or a batch
    ///   is open; ``Status/rejected``: set, but a queue was full for an observer's call.
    /// - Throws: ``Status/handle`` once the property has ended; ``Status/limit`` when 65,536 changes wait;
    ///   ``Status/argument`` for a string with a zero inside. It is not set then.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_property_set`.
    @discardableResult @inlinable
    public func set(_ value: Value) throws(PealError) -> Status {
        let status = try Representation.withEncoded(value) {
            peal_property_set(handle, $0, MemoryLayout<Value.CValue>.stride)
        }
        return Status(try PealError.check(status))
    }

    /// Sets the value if it is still the expected one.
    ///
    /// - Parameters:
    ///   - expected: Compared by its bytes; a string by its characters.
    ///   - value: The new value.
    /// - Returns: True if it was set. If not, no observer is notified.
    /// - Throws: As ``set(_:)``.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_property_compare_and_set`.
    @discardableResult
    public func compareAndSet(expected: Value, to value: Value) throws(PealError) -> Bool {
        var isSet = false
        let status = try Representation.withEncoded(expected) { expected in
            // The outer closure cannot throw, so it returns the inner error as a value.
            Swift.Result { () throws(PealError) in
                try Representation.withEncoded(value) {
                    peal_property_compare_and_set(handle, expected, $0, MemoryLayout<Value.CValue>.stride, &isSet)
                }
            }
        }.get()
        try PealError.check(status)
        return isSet
    }

    /// Changes the value, so that no set of another thread is lost in between.
    ///
    ///     try volume.modify { $0 += 1 }
    ///
    /// - Parameter body: Gets the value and changes it; called again when another thread was faster.
    /// - Returns: The new value.
    /// - Throws: As ``set(_:)``.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_property_compare_and_set`.
    @discardableResult
    public func modify(_ body: (inout Value) -> Void) throws(PealError) -> Value {
        while true {
            let old = try value
            var new = old
            body(&new)
            if try compareAndSet(expected: old, to: new) { return new }
        }
    }

    /// Reads a text into a buffer. The text may become longer between two attempts.
    @usableFromInline
    func text() throws(PealError) -> Value {
        var capacity = 256
        while true {
            var length = 0
            var status = PEAL_OK
            let value = withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { room -> Value? in
                status = peal_property_get_text(handle, room.baseAddress, capacity, &length)
                guard status == PEAL_OK, let start = room.baseAddress else { return nil }
                return Self.value(at: UnsafeRawPointer(start), isText: true)
            }
            if let value { return value }
            try PealError.check(status)
            capacity = length + 1
        }
    }

    /// Reads a value at an address of the C interface. The address of a text is that of its first byte.
    @inlinable @inline(__always)
    static func value(at pointer: UnsafeRawPointer, isText: Bool) -> Value {
        guard isText else { return Value(cValue: pointer.loadUnaligned(as: Value.CValue.self)) }
        let text = UnsafePointer<CChar>?(pointer.assumingMemoryBound(to: CChar.self))
        return withUnsafeBytes(of: text) { Value(cValue: $0.load(as: Value.CValue.self)) }
    }
}

extension Center {
    /// Delays the notifications of this thread's sets of properties, in any center, until the body has returned.
    ///
    ///     try Center.batch {
    ///         try width.set(800)
    ///         try height.set(600)
    ///     }
    ///
    /// Values change at once. For each property that was set, observers are notified once, with the first old value
    /// and the last new one. Batches nest: the outermost counts.
    ///
    /// - Parameter body: Sets properties. When it throws, its sets so far are notified all the same.
    /// - Returns: The body's result.
    /// - Throws: The body's error; ``Status/memory``.
    ///
    /// Thread rule: any thread. Each thread has its own batch. The C interface's `peal_batch_begin`, `peal_batch_end`.
    @discardableResult
    public static func batch<Result>(_ body: () throws -> Result) throws -> Result {
        try PealError.check(peal_batch_begin())
        defer { _ = peal_batch_end() }
        return try body()
    }
}
