public import CPeal

/// A method in a center, found and checked: broadcasting it looks up nothing.
///
///     let onMessage = try center.method(Chat.onMessage)
///     try onMessage("lobby", 3)
///
/// It is a plain value: copy it, and use it from any thread. It does not keep the center. `peal_method` in C.
public struct BoundMethod<Result, each Parameter: PealParameter>: Sendable {
    /// The method in the C interface.
    public let handle: peal_method
    /// Its protocol in the C interface; the one through which it was found.
    public let `protocol`: peal_protocol
    /// The rule that makes one result; the method's own policy unless ``using(_:)`` gave another.
    @usableFromInline let policy: peal_policy
    @usableFromInline let isOwnPolicy: Bool
    @usableFromInline let isPlain: Bool

    @inlinable @inline(__always)
    init(_ found: ResolvedMethod, isPlain: Bool) {
        handle = found.method
        `protocol` = found.protocol
        policy = found.policy
        isOwnPolicy = true
        self.isPlain = isPlain
    }

    @usableFromInline
    init<Other>(_ other: BoundMethod<Other, repeat each Parameter>, policy: peal_policy) {
        handle = other.handle
        `protocol` = other.protocol
        self.policy = policy
        isOwnPolicy = false
        isPlain = other.isPlain
    }

    /// The same without its types.
    @usableFromInline
    var untyped: ResolvedMethod { ResolvedMethod(method: handle, protocol: `protocol`, policy: policy) }
}

extension Center {
    /// Finds a method of a Swift protocol, and checks it. The first use in a center defines the protocol there.
    ///
    /// - Parameter method: The declaration.
    /// - Returns: The method in this center, until its protocol ends.
    /// - Throws: ``Status/conflict`` if the center has the method with another prototype.
    ///
    /// Any thread, also from a callback. The C interface's `peal_method_find`.
    @inlinable @inline(__always)
    public func method<Owner, Result, each Parameter: PealParameter>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>
    ) throws(PealError) -> BoundMethod<Result, repeat each Parameter> {
        BoundMethod(try resolved(method.signature), isPlain: method.signature.isPlain)
    }
}
