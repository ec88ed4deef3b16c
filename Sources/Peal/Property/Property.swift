public import CPeal

/// A named value of a center, whose observers are told of each change.
///
///     let volume = try Property("volume", initially: Int32(5), in: center)
///     let shown = try volume.observe { old, new in print("from \(old) to \(new)") }
///     try volume.set(7)
///
/// Whoever defines the name with the same type, in whatever language, has the same property. A property is a small
/// value that names it: copy it as you like. It ends with its center, with its owner, or by ``remove()``; from then
/// on all that is asked of it throws ``Status/handle``.
///
/// Reading never waits. A set takes effect at once; observers are told of the sets in their order, one change at a
/// time.
public struct Property<Value: PealValue & Sendable>: Sendable {
    /// The property in the C interface.
    public let handle: peal_property
    /// A C string, which the C interface copies, and reads by another function.
    @usableFromInline let isText: Bool

    /// Defines a property, or finds the one of that name. One that is there already keeps its value.
    ///
    /// - Parameters:
    ///   - name: 1 to 255 bytes.
    ///   - initial: Its value, if it is new.
    ///   - center: Where.
    ///   - ignoresEqual: Whether a set to an equal value tells nobody. Equal are values with equal bytes.
    ///   - owner: For whom it is defined: it ends with the last owner. nil: the thread's, if any.
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
        options.owner = owner ?? peal_owner(number: 0)
        var handle = peal_property(number: 0)
        let status = try Representation.lend(initial) { value in
            peal_property_define(center.handle, name, type, value, &options, &handle)
        }
        try PealError.check(status)
        self.handle = handle
        isText = Self.isText
    }

    /// Finds a property that somebody else has defined.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - center: Where.
    /// - Throws: ``Status/notFound``; ``Status/type`` when it has another type.
    ///
    /// Any thread. The C interface's `peal_property_find`.
    public init(existing name: String, in center: Center = .default) throws(PealError) {
        let type = try Self.cType(of: name, in: center)
        var handle = peal_property(number: 0)
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

    /// Ends the property, whoever defined it: its observers are removed, changes that wait are told to nobody.
    ///
    /// - Throws: ``Status/handle`` once it has ended.
    ///
    /// Any thread, also from a callback. The C interface's `peal_property_remove`.
    public func remove() throws(PealError) { try PealError.check(peal_property_remove(handle)) }

    private static var isText: Bool {
        Value.cType.text == String.cType.text && Value.CValue.self == String.CValue.self
    }
}
