public import CPeal

/// A kind of failure, or of success with a remark. The C interface's `PEAL_ERROR_…` of the same name (status.h).
///
/// Compare it with the constants: `error.status == .notFound`. A later library may have more.
public struct Status: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number in C: zero is done, above is done with a remark, below is not done.
    public let rawValue: Int32

    /// A status of a number; any number will do.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// A status of the C interface.
    public init(_ status: peal_status) { self.init(rawValue: Int32(status.rawValue)) }

    /// The name in C, such as `PEAL_ERROR_HANDLE`: `peal_status_name`.
    public var description: String { String(cString: peal_status_name(peal_status(rawValue: rawValue))) }

    /// What it means, in a few words: `peal_status_text`.
    public var meaning: String { String(cString: peal_status_text(peal_status(rawValue: rawValue))) }

    /// Whether nothing was done.
    public var isFailure: Bool { rawValue < 0 }
}
