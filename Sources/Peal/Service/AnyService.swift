public import CPeal

/// A service of which the Swift type is not known, or that was not made in Swift.
///
/// The C interface's `peal_service`.
public struct AnyService: ServiceReference, Hashable {
    /// The service in the C interface.
    public let handle: peal_service

    /// A service of the C interface.
    public init(_ handle: peal_service) { self.handle = handle }

    /// Whether both are the same registration.
    public static func == (left: AnyService, right: AnyService) -> Bool { left.handle.number == right.handle.number }

    /// Hashes the handle.
    public func hash(into hasher: inout Hasher) { hasher.combine(handle.number) }
}
