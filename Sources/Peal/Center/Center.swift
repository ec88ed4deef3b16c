public import CPeal

/// A place where protocols, observers, services and modules meet by name.
///
/// Parts that use the same center find each other, whatever language they are written in. Most programs have
/// one: ``default``. A center that was made ends when nobody keeps it any more.
public final class Center: Sendable {
    /// The center in the C interface.
    public let handle: peal_center
    private let isOwned: Bool
    let swiftProtocols = SwiftProtocolCache()

    /// The center of the process.
    public static let `default` = Center(borrowing: peal_center_default())

    /// Makes a center.
    public init() throws(PealError) {
        var handle = peal_center(number: 0)
        try PealError.check(peal_center_create(&handle))
        self.handle = handle
        isOwned = true
    }

    /// A center that somebody else made, and ends.
    public init(borrowing handle: peal_center) {
        self.handle = handle
        isOwned = false
    }

    deinit {
        if isOwned { _ = peal_center_destroy(handle) }
    }
}
