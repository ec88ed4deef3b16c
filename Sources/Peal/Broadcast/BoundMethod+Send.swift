public import CPeal

extension BoundMethod {
    /// Calls all observers, and drops their results.
    @inlinable @inline(__always)
    func send(_ arguments: repeat each Parameter) throws(PealError) -> Delivery {
        var status = PEAL_OK
        var calls = 0
        let handle = handle
        try withArguments(repeat each arguments) { list, count in
            status = peal_send(handle, list, count, nil, &calls)
        }
        try PealError.check(status)
        return Delivery(status: Status(status), calls: calls)
    }
}

extension BoundMethod where Result == Void {
    /// Calls all observers, one after the other, on this thread; those with queues get a copy of the call.
    ///
    /// `peal_send` in C. Allocates nothing for plain values, and for strings of up to a thousand bytes together.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``Status/handle`` once the center has ended, ``Status/depth`` and ``Status/recursion`` from within
    ///   callbacks, ``Status/argument`` for a string with a zero inside. Then nobody was called.
    @discardableResult @inlinable
    public func callAsFunction(_ arguments: repeat each Parameter) throws(PealError) -> Delivery {
        try send(repeat each arguments)
    }

    /// The same by name.
    @discardableResult @inlinable
    public func broadcast(_ arguments: repeat each Parameter) throws(PealError) -> Delivery {
        try send(repeat each arguments)
    }
}
