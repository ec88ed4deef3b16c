/// A type whose values are passed from Swift to C and back, as arguments of methods.
///
/// These are the numbers, `Bool`, `String`, optionals of these, pointers as optionals, and types that conform to
/// ``PealStruct`` and ``PealEnum``; few programs conform to this protocol itself. An array is a ``PealParameter``.
///
/// A value has a C type as text, and a representation with the bytes of that C type. Memory that the representation
/// points to is put into the room for the arguments, and is valid during the call.
public protocol PealValue: PealAnswer, PealParameter where Answer == Self {
    /// The representation in memory, which is that of the C type's value. It is copied as bytes: it may refer to no
    /// object. (It is not `BitwiseCopyable`, since structs that Swift imports from C are not.)
    associatedtype CValue

    /// The C type: `int32_t` for `Int32`.
    static var cType: CType { get }

    /// True if the value's own bytes are its representation, so that a call can point to the value itself. Only types
    /// of this library return true.
    static var isItsOwnRepresentation: Bool { get }

    /// The value of a representation from C. Pointed-to memory is copied, because it may be freed after the call.
    init(cValue: CValue)

    /// The representation. Pointed-to memory is put into the room.
    func cValue(in room: inout ArgumentRoom) -> CValue

    /// Reads an argument by ``init(cValue:)``. This function is a requirement, so that generic code needs no other
    /// function of the type.
    static func read(from pointer: UnsafeRawPointer) -> Self
}

extension PealValue {
    /// `false`.
    public static var isItsOwnRepresentation: Bool { false }

    /// Nothing.
    public var refusal: PealError? { nil }

    /// Does nothing.
    public func wasDeferred() {}

    /// One.
    @inlinable @inline(__always)
    public static var parameterCount: Int { 1 }

    /// The C type.
    public static func append(to types: inout ParameterTypes) { types.append(ValueType(Self.self)) }

    /// The value of the next argument.
    @inlinable @inline(__always)
    public static func read(next arguments: inout UnsafePointer<UnsafeMutableRawPointer?>?) -> Self {
        // The C interface passes one pointer for each parameter, none of them NULL.
        let list = arguments.unsafelyUnwrapped
        arguments = list + 1
        return read(from: list.pointee.unsafelyUnwrapped)
    }

    /// The value whose representation is at a pointer.
    @inlinable
    public static func read(from pointer: UnsafeRawPointer) -> Self {
        Self(cValue: pointer.loadUnaligned(as: CValue.self))
    }

    /// The representation, and a pointer to it.
    @inlinable
    public func write(to room: inout ArgumentRoom) {
        let value = cValue(in: &room)
        room.add(value)
    }
}

/// A type of a method's parameters: each ``PealValue``, and arrays, which are two parameters in C.
///
/// Only types of this library implement it. Other types conform to ``PealValue``.
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
/// elements are numbers, or structs of plain values. The module `PealFoundation` adds Foundation's `Data`.
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

    /// A copy of the elements in the room, valid during the call.
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

/// A value that an observer may return: one that needs no other memory, which would be freed too early, and a string,
/// which peal keeps.
///
/// C does not count the references to a returned `const char *`. So each distinct string that observers return stays
/// allocated until the process ends, up to its first zero. Return names, states and other texts of a small set; pass
/// others to the broadcaster as an argument of a call of its own. An observer that returns an `UnsafePointer<CChar>?`
/// must keep the characters, and so must a function of C: it must not return the pointer of a `String` argument.
public protocol PealResult: PealValue {
    /// The representation.
    var cValue: CValue { get }
}

extension PealResult {
    /// The representation, which needs no room.
    @inlinable @inline(__always)
    public func cValue(in room: inout ArgumentRoom) -> CValue { cValue }
}

/// A value that is its own representation: the bytes of the Swift value are the bytes of the C value.
public protocol PealPlainValue: PealResult where CValue == Self {}

extension PealPlainValue {
    /// `true`.
    public static var isItsOwnRepresentation: Bool { true }

    /// The same.
    @inlinable @inline(__always)
    public init(cValue: Self) { self = cValue }

    /// The same.
    @inlinable @inline(__always)
    public var cValue: Self { self }
}

/// An enumeration whose raw values are C integers or texts.
///
///     enum Presence: Int32, PealEnum {
///         case offline, online, away
///         static let unknown = Presence.offline
///     }
///
///     enum Theme: String, PealEnum {
///         case light, dark
///         static let unknown = Theme.light
///     }
///
/// An enumeration that C declares is imported with a raw value; give it the same conformance, and the name that
/// it has in C:
///
///     extension color: @retroactive PealEnum {
///         public static var cType: CType { CType("enum color") }
///         public static var unknown: color { RED }
///     }
public protocol PealEnum: PealResult, RawRepresentable where RawValue: PealResult, CValue == RawValue.CValue {
    /// The case for raw values that are no case: C may send any.
    static var unknown: Self { get }
}

extension PealEnum {
    /// The C type of the raw values, unless the type declares another.
    public static var cType: CType { RawValue.cType }

    /// The case of a raw value, or ``unknown``.
    @inlinable
    public init(cValue: RawValue.CValue) { self = Self(rawValue: RawValue(cValue: cValue)) ?? Self.unknown }

    /// The raw value.
    @inlinable
    public var cValue: RawValue.CValue { rawValue.cValue }

    /// The raw value. A text is put into the room.
    @inlinable
    public func cValue(in room: inout ArgumentRoom) -> RawValue.CValue { rawValue.cValue(in: &room) }

    /// The raw value's.
    public var refusal: PealError? { rawValue.refusal }
}
