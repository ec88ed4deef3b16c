internal import CPealSupport

/// The hooks that keep a target alive during a call. peal does not own the target.
public struct WeakTarget {
    public typealias Retain = @convention(c) (UnsafeMutableRawPointer?) -> Bool
    public typealias Release = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void

    public var reference: UnsafeMutableRawPointer?
    public var retain: Retain
    public var release: Release
    /// The observer's functions retain the target themselves: a loop that drops results calls them without the hooks.
    public var isRetainedByFunctions = false
    /// The object of a `Reference`, with which its observers end.
    private(set) var isCounted = false

    public init(reference: UnsafeMutableRawPointer?, retain: @escaping Retain, release: @escaping Release) {
        self.reference = reference
        self.retain = retain
        self.release = release
    }

    /// The object of a `Reference`. The id itself is the weak reference.
    public init(reference id: UInt64, target: UnsafeMutableRawPointer?) throws(Failure) {
        guard try Reference.object(of: id) == target else {
            throw Failure(
                .argument,
                "the target is not the object of the reference; register the object that peal_reference_create was given"
            )
        }
        self.init(
            reference: UnsafeMutableRawPointer(bitPattern: UInt(id)),
            retain: { peal_counted_hold($0) }, release: { peal_counted_drop($0, $1) })
        isCounted = true
    }

    /// Makes the hooks of an observer whose target is a proxy's `self`. Once the proxy or its target has ended, the
    /// observer is not called, because it could not return results.
    ///
    /// - Returns: Nil for any other target.
    @inline(__always)
    init?(of target: UnsafeMutableRawPointer?) {
        guard Handles.proxies.isOfKind(Self.id(target)) else { return nil }
        self.init(ofProxy: target)
    }

    private init?(ofProxy target: UnsafeMutableRawPointer?) {
        guard let proxy = Handles.proxies.find(Self.id(target)) else { return nil }
        // The hook only tests the proxy, because the call itself retains the proxy's target.
        let retain: Retain =
            proxy.target == nil
            ? { ProxyCall.isOpen(WeakTarget.id($0)) } : { ProxyCall.reachesTarget(WeakTarget.id($0)) }
        self.init(reference: target, retain: retain, release: { _, _ in })
    }

    /// The bits of the observer's gate.
    var gate: UInt32 { isRetainedByFunctions ? ObserverGate.retains : ObserverGate.weak }

    private static func id(_ target: UnsafeMutableRawPointer?) -> UInt64 { UInt64(UInt(bitPattern: target)) }
}
