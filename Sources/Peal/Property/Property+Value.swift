public import CPeal

extension Property {
    /// The value now. Takes no lock, and never waits.
    ///
    /// - Throws: ``Status/handle`` once the property has ended.
    ///
    /// Any thread, also from a callback. The C interface's `peal_property_get`, `peal_property_get_text`.
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
    /// Any thread, also from a callback. The C interface's `peal_property_set`.
    @discardableResult @inlinable
    public func set(_ value: Value) throws(PealError) -> Status {
        let status = try Representation.lend(value) {
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
    /// Any thread, also from a callback. The C interface's `peal_property_compare_and_set`.
    @discardableResult
    public func compareAndSet(expected: Value, to value: Value) throws(PealError) -> Bool {
        var isSet = false
        let status = try Representation.lend(expected) { expected in
            // The outer closure cannot throw, so it returns the inner error as a value.
            Swift.Result { () throws(PealError) in
                try Representation.lend(value) {
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
    /// Any thread, also from a callback. The C interface's `peal_property_compare_and_set`.
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
    static func value(at place: UnsafeRawPointer, isText: Bool) -> Value {
        guard isText else { return Value(cValue: place.loadUnaligned(as: Value.CValue.self)) }
        let text = UnsafePointer<CChar>?(place.assumingMemoryBound(to: CChar.self))
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
    /// Any thread; each has its own. The C interface's `peal_batch_begin`, `peal_batch_end`.
    @discardableResult
    public static func batch<Result>(_ body: () throws -> Result) throws -> Result {
        try PealError.check(peal_batch_begin())
        defer { _ = peal_batch_end() }
        return try body()
    }
}
