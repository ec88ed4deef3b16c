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
    static func read(from place: UnsafeRawPointer) -> Self
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

    /// The value whose representation is at a place.
    @inlinable
    public static func read(from place: UnsafeRawPointer) -> Self {
        Self(cValue: place.loadUnaligned(as: CValue.self))
    }

    /// The representation, and a pointer to it.
    @inlinable
    public func write(to room: inout ArgumentRoom) {
        let value = cValue(in: &room)
        room.add(value)
    }
}
