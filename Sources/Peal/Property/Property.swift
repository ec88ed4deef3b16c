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
    /// A C string, which the C interface copies, and reads by another function.
    @usableFromInline let isText: Bool

    /// Defines a property, or finds the one of that name. An existing one keeps its value.
    ///
    /// - Parameters:
    ///   - name: 1 to 255 bytes.
    ///   - initial: Its value, if it is new.
    ///   - center: The center.
    ///   - ignoresEqual: True if a set to an equal value notifies no observer. Values with equal bytes are equal.
    ///   - owner: The owner that defines it: it ends with the last owner. nil: the thread's, if any.
    /// - Throws: ``Status/conflict`` when the name has another type, or ignores equal values otherwise;
    ///   ``Status/type`` for a type that cannot be a value.
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
