public import FoundationEssentials
public import Peal

/// Bytes as a counted buffer: `const uint8_t *__counted_by(n) bytes, size_t n` in C.
///
///     static let onBytes = Method<Void, Data>("on_bytes", parameters: "bytes")
///
/// A `Data` crosses as a `[UInt8]` does. Observers get a copy of their own, also on queues and actors, and in sequences.
// The names of the modules state that the conformance belongs to neither of them.
extension FoundationEssentials.Data: Peal.PealParameter {
    /// Two.
    public static var parameterCount: Int { [UInt8].parameterCount }

    /// A pointer to constant bytes, and their number.
    public static func append(to types: inout ParameterTypes) { [UInt8].append(to: &types) }

    /// A copy of the bytes. NULL becomes an empty value.
    public static func read(next arguments: inout UnsafePointer<UnsafeMutableRawPointer?>?) -> Data {
        Data([UInt8].read(next: &arguments))
    }

    /// A copy of the bytes in the room, lent for the call.
    public func write(to room: inout ArgumentRoom) { [UInt8](self).write(to: &room) }

    /// Nothing.
    public var refusal: PealError? { nil }

    /// Does nothing.
    public func wasDeferred() {}
}
