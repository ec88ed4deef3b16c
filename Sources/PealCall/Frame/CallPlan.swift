internal import CPealSupport

/// How to call any function of one shape: libffi's prepared call interface, and the moves that build
/// a register frame where one can carry the call.
///
/// Plans are made once for each shape, shared, never changed and never freed, so the path of a
/// broadcast reads them through a bare pointer.
public struct CallPlan: BitwiseCopyable, @unchecked Sendable {
    // Unchecked because of the pointers: what they point to is written before the plan is shared.

    /// The register frame's shape, or nil if calls go through `ffi_call`.
    public let frame: FrameShape?
    /// The registers in which a result is returned; meaningful with a frame.
    public let resultLocation: ResultLocation
    /// The parameters, if they are a few integers in registers; otherwise nil.
    public internal(set) var integers: Integers?
    public let parameterCount: Int
    public let resultKind: ResultKind
    /// In bytes; 0 for void.
    public let resultSize: Int
    /// For each parameter, how a variadic caller passes it.
    public let variadicKinds: UnsafePointer<VariadicKind>
    /// For each parameter, the size of its value in bytes.
    public let parameterSizes: UnsafePointer<UInt32>

    /// For each parameter, the first word of its value in a frame. nil unless each value is contiguous there, as in
    /// memory.
    public let wordLocations: UnsafePointer<UInt8>?

    /// The number of stack words of the arguments. Nothing beyond them on the caller's stack may be read.
    public let stackWords: Int

    @usableFromInline let moves: UnsafePointer<FrameMove>
    @usableFromInline let endOfMoves: UnsafePointer<FrameMove>
    let interface: UnsafeMutableRawPointer
    @usableFromInline let caller: FFICaller
    /// True if a parameter is a struct over 16 bytes. Some versions of libffi overwrite the pointers to such arguments,
    /// so the pointers are set again after each call.
    @usableFromInline let overwritesArguments: Bool
    /// The parameter that libffi gets as two halves, or -1.
    @usableFromInline let halvedParameter: Int

    public typealias Pointer = UnsafePointer<CallPlan>

    /// Up to four integers of 32 or 64 bits, all parameters in order.
    public struct Integers: Sendable, Equatable, BitwiseCopyable {
        public let count: UInt8
        /// The bits of those of 32 bits.
        public let narrow: UInt8

        public static var most: Int { 4 }
    }
}

/// The registers in which a result is returned. CPealSupport's probe.c uses the raw values.
public enum ResultLocation: UInt8, Sendable, BitwiseCopyable {
    case none, integer, float, integers, floats, integerFloat, floatInteger
    /// Floating registers with four bytes each: the members of a homogeneous aggregate of floats.
    case singles
    /// Memory, the x87 stack: `ffi_call` only.
    case elsewhere
}

/// How C passes a value through `...`, after its default promotions. CPealEntry's variadic.c uses the raw values.
public enum VariadicKind: UInt8, Sendable, BitwiseCopyable {
    case int8, uint8, int16, uint16, int32, int64, pointer, bool
    case float, double, longDouble, complexFloat, complexDouble, complexLongDouble
    /// By pointer to the value: structs.
    case reference
}
