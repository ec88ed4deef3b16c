internal import CPealSupport

/// The callees of the functions of tables: a `self` is a proxy's id, or leads to an observer's handler. Each is
/// a test and a jump: the next function saves its own registers.
enum ThunkCall {
    @_optimize(speed)
    static func integers(
        _ id: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ index: UInt64
    ) -> UInt64 {
        if let handler = peal_handler_of(id) { return HandlerCall.integers(handler, a, b, c, d, index) }
        return ProxyCall.integers(id, a, b, c, d, index)
    }

    @_optimize(speed)
    static func numbers(
        _ id: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ index: UInt64, _ x: Double, _ y: Double
    ) -> peal_thunk_number {
        if let handler = peal_handler_of(id) { return HandlerCall.numbers(handler, a, b, c, d, index, x, y) }
        return ProxyCall.numbers(id, a, b, c, d, index, x, y)
    }

    @_optimize(speed)
    static func frame(
        _ words: UnsafeMutablePointer<UInt64>, _ index: UInt32, _ stack: UnsafePointer<UInt64>,
        _ result: UnsafeMutablePointer<peal_thunk_result>
    ) -> Bool {
        if let handler = peal_handler_of(words[0]) { return HandlerCall.frame(handler, words, index, stack, result) }
        return ProxyCall.frame(words, index, stack, result)
    }

    /// A call of a closure, for shapes that have no frame.
    static func arguments(
        _ first: UnsafeMutableRawPointer?, _ index: Int, _ arguments: Broadcast.Arguments,
        _ result: UnsafeMutableRawPointer
    ) {
        let id = UInt64(UInt(bitPattern: first))
        if let handler = peal_handler_of(id) { return HandlerCall.arguments(handler, index, arguments, result) }
        ProxyCall.arguments(id, index, arguments, result)
    }
}
