/// A value as C has it, for a call.
@usableFromInline
enum Representation {
    /// Lends a value's representation. What it points to lies on the stack, or where there is room.
    @inlinable @inline(__always)
    static func lend<Value: PealValue, Result>(
        _ value: Value, _ body: (UnsafePointer<Value.CValue>) -> Result
    ) throws(PealError) -> Result {
        var missing = 0
        if let result = attempt(value, 1024, &missing, body) { return result }
        if let refusal = value.refusal { throw refusal }
        // What did not fit at first does now.
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
