public import CPeal

/// A kind of failure. Each is the C interface's `PEAL_ERROR_…` of the same name (status.h).
public struct Status: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: Int32

    public init(rawValue: Int32) { self.rawValue = rawValue }

    public init(_ status: peal_status) { self.init(rawValue: Int32(status.rawValue)) }

    /// The name in C, such as `PEAL_ERROR_HANDLE`.
    public var description: String { String(cString: peal_status_name(peal_status(rawValue: rawValue))) }
}
