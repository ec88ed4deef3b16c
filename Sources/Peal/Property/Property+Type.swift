import CPeal

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
        var (size, alignment) = (MemoryLayout<UnsafeRawPointer>.size, MemoryLayout<UnsafeRawPointer>.alignment)
        if !text.contains("*") {
            try PealError.check(peal_type_layout(center.handle, text, &size, &alignment))
        }
        let comparison = TypeComparison(center: center.handle, text: text, size: size, alignment: alignment)
        if comparison.fits(type) { return text }
        throw PealError(
            status: text == type.type.text ? .type : .conflict,
            message: "property \(name): it is \(text), of \(size) bytes, and Swift declares \(type.swiftName), "
                + "which is \(type.type), of \(type.size)")
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
    /// Lends a value's representation. Its memory is on the stack, or in the given room.
    @inlinable @inline(__always)
    static func lend<Value: PealValue, Result>(
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
