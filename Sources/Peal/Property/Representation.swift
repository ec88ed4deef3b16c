/// A value as C has it, for a call.
enum Representation {
    /// Lends a value's representation. What it points to lies on the stack, or where there is room.
    static func lend<Value: PealValue, Result>(
        _ value: Value, _ body: (UnsafePointer<Value.CValue>) -> Result
    ) throws(PealError) -> Result {
        let length = try value.lengthBeside()
        return withUnsafeTemporaryAllocation(byteCount: max(length, 1), alignment: 16) { room in
            // A temporary allocation always has an address.
            withUnsafePointer(to: value.cValue(beside: room.baseAddress.unsafelyUnwrapped), body)
        }
    }
}
