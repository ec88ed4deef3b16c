public import CPeal

/// An isolated namespace of protocols, observers, services and modules.
///
/// Parts that use the same center find each other, whatever language they are written in. Most programs have
/// one: ``default``. Another center ends with its last reference, and with it everything in it.
public final class Center: Sendable {
    /// The center in the C interface.
    public let handle: peal_center
    private let isOwned: Bool
    let swiftProtocols = SwiftProtocolCache()
    @usableFromInline let cache = MethodCache()
    let knownServices = KnownServices()

    /// The center of the process. It never ends. The C interface's `peal_center_default`.
    public static let `default` = Center(borrowing: peal_center_default())

    /// Makes a center, which ends with this object.
    ///
    /// - Throws: ``Status/limit`` and ``Status/memory``.
    ///
    /// Thread rule: any thread. The C interface's `peal_center_create`, and `peal_center_destroy` at the end.
    public init() throws(PealError) {
        var handle = peal_center(id: 0)
        try PealError.check(peal_center_create(&handle))
        self.handle = handle
        isOwned = true
    }

    /// A center that other code made and will end, for example one that a C host passes to a plugin.
    ///
    /// - Parameter handle: Not ended by this object; once it has ended, all functions throw
    ///   ``Status/handle``.
    ///
    /// Thread rule: any thread. Two objects of one center are the same center.
    public init(borrowing handle: peal_center) {
        self.handle = handle
        isOwned = false
    }

    deinit {
        if isOwned { _ = peal_center_destroy(handle) }
    }
}
