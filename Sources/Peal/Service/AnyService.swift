public import CPeal

/// A service of which the Swift type is not known, or that was not made in Swift.
///
/// In C, `peal_service`.
public struct AnyService: ServiceReference, Hashable {
    public let handle: peal_service

    /// A service of the C interface.
    public init(_ handle: peal_service) { self.handle = handle }

    public static func == (left: AnyService, right: AnyService) -> Bool { left.handle.number == right.handle.number }

    public func hash(into hasher: inout Hasher) { hasher.combine(handle.number) }
}
