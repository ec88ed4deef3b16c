public import CPeal

/// A place where protocols, observers, services and modules meet by name.
///
/// Parts that use the same center find each other, whatever language they are written in. Most programs have
/// one: ``default``. A center that was made ends when nobody keeps it any more, and with it all that is in it.
public final class Center: Sendable {
    /// The center in the C interface.
    public let handle: peal_center
    private let isOwned: Bool
    let swiftProtocols = SwiftProtocolCache()
    @usableFromInline let cache = MethodCache()

    /// The center of the process: `peal_center_default`.
    public static let `default` = Center(borrowing: peal_center_default())

    /// Makes a center: `peal_center_create`.
    public init() throws(PealError) {
        var handle = peal_center(number: 0)
        try PealError.check(peal_center_create(&handle))
        self.handle = handle
        isOwned = true
    }

    /// A center that somebody else made, and ends: one that a C host gives to a plugin.
    ///
    /// - Parameter handle: Must live as long as this is used; once it has ended, all that is asked of it throws
    ///   ``Status/handle``.
    public init(borrowing handle: peal_center) {
        self.handle = handle
        isOwned = false
    }

    /// `peal_center_destroy`.
    deinit {
        if isOwned { _ = peal_center_destroy(handle) }
    }
}
