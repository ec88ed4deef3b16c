internal import CPealSupport

/// A caller's options of a proxy.
public struct ProxyRequest {
    public typealias Resolve = @convention(c) (UnsafeMutableRawPointer?, UInt64) -> (@convention(c) () -> Void)?
    public typealias Redirect = @convention(c) (UnsafeMutableRawPointer?, UInt64, UnsafeMutableRawPointer) -> Bool
    public typealias Invoke = @convention(c) (UnsafeMutableRawPointer?, UInt64) -> Void

    public var owner: Owner?
    public var target: UnsafeMutableRawPointer?
    public var destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
    public var weak: WeakTarget?
    /// The stages of a call for which the target has no function.
    public var resolve: Resolve?
    public var redirect: Redirect?
    public var invoke: Invoke?

    public init() {}

    var hasStages: Bool { resolve != nil || redirect != nil || invoke != nil }
}
