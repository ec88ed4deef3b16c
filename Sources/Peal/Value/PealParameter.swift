/// A type of a method's parameters: each ``PealValue``, and arrays, which are two parameters in C.
///
/// It is implemented by types of this library alone; others conform to ``PealValue``.
public protocol PealParameter: SendableMetatype {
    /// The number of parameters in C.
    static var parameterCount: Int { get }

    /// Adds the types of the parameters in C.
    static func append(to types: inout ParameterTypes)

    /// Reads the value of the next arguments, and advances the pointer past them. So generic code makes one call
    /// through the witness table for each parameter.
    static func read(next arguments: inout UnsafePointer<UnsafeMutableRawPointer?>?) -> Self

    /// Adds the arguments to the room.
    func write(to room: inout ArgumentRoom)

    /// Why the value cannot be sent, where it was refused.
    var refusal: PealError? { get }

    /// Called when the call that the value was written for runs later, from a copy of its representation. Few types
    /// need it.
    func wasDeferred()
}

/// The types of one parameter in C.
public struct ParameterTypes {
    private(set) var types: [ValueType] = []

    mutating func append(_ type: ValueType) { types.append(type) }
}

/// A counted buffer: `const float *__counted_by(n) samples, size_t n`.
///
///     static let onSamples = Method<Void, [Float]>("on_samples", parameters: "samples")
///
/// The parameter's name is the pointer's name, and the count's name is the same with `_count`. The text may also be the
/// C declaration of both. Observers get an array of their own, also on queues and actors, and in sequences. The
/// elements are numbers, or structs of plain values: the bytes of a Foundation `Data` are `[UInt8](data)`.
extension Array: PealParameter where Element: PealPlainValue {
    /// Two.
    @inlinable
    public static var parameterCount: Int { 2 }

    /// A pointer to constant elements, and their number.
    public static func append(to types: inout ParameterTypes) {
        var pointer = ValueType(UnsafePointer<Element>?.self)
        // Arrays are copied into the room.
        pointer.isItsOwnRepresentation = false
        types.append(pointer)
        types.append(ValueType(Int.self))
    }

    /// A copy of the elements. NULL becomes an empty array.
    @inlinable
    public static func read(next arguments: inout UnsafePointer<UnsafeMutableRawPointer?>?) -> [Element] {
        let list = arguments.unsafelyUnwrapped
        arguments = list + 2
        let start = list[0].unsafelyUnwrapped.load(as: UnsafePointer<Element>?.self)
        let count = list[1].unsafelyUnwrapped.load(as: Int.self)
        return start.map { Array(UnsafeBufferPointer(start: $0, count: count)) } ?? []
    }

    /// A copy of the elements in the room, lent for the call.
    @inlinable
    public func write(to room: inout ArgumentRoom) {
        let start = room.allocate(
            byteCount: count &* MemoryLayout<Element>.stride, alignment: MemoryLayout<Element>.alignment)
        if let start {
            withUnsafeBytes { bytes in
                if let source = bytes.baseAddress { start.copyMemory(from: source, byteCount: bytes.count) }
            }
        }
        room.add(start.map { UnsafeRawPointer($0) })
        room.add(count)
    }

    /// Nothing.
    public var refusal: PealError? { nil }

    /// Does nothing.
    public func wasDeferred() {}
}
