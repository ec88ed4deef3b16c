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
    /// Any thread, also from a callback. The C interface's `peal_property_define`.
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
        let status = try Representation.lend(initial) { value in
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
    /// Any thread. The C interface's `peal_property_find`.
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
    /// Any thread. The C interface's `peal_property_name`.
    public func name() throws(PealError) -> String {
        try CStrings.copied { Status(peal_property_name(handle, $0, $1, $2)) }
    }

    /// Ends the property, also one that another owner defined: its observers are removed, and waiting changes are
    /// dropped.
    ///
    /// - Throws: ``Status/handle`` once it has ended.
    ///
    /// Any thread, also from a callback. The C interface's `peal_property_remove`.
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
