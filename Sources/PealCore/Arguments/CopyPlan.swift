internal import CPealSupport
import PealCall

/// How the arguments of a call are captured, so that they outlive the call: the values in an image, and pointed-to
/// memory as its declaration requires.
///
/// An image begins with the values, each at its own offset (``ArgumentLayout``). Copies of strings and buffers follow.
/// Copies of structs and retained objects are stored elsewhere, and are released with the image.
///
/// A plan is made when a method is defined. Methods share equal plans. A plan is never changed and never freed, so a
/// captured call refers to it by a bare pointer, without a count.
public struct CopyPlan: BitwiseCopyable, @unchecked Sendable {
    // Unchecked because of the pointers: the pointed-to memory is written before the plan is shared.

    public typealias Pointer = UnsafePointer<CopyPlan>

    /// The alignment of images, in bytes: that of allocated memory.
    public static let alignment = 16

    public let parameterCount: Int
    /// The size of the values alone, in bytes.
    public let fixedSize: Int
    /// True if no argument is captured by more than its value. An image then has `fixedSize` bytes.
    public let hasNoPointers: Bool
    /// The first parameter that is a pointer without a rule, unless the method has the option `borrowed`. An image
    /// contains the unchanged pointer.
    public let firstBarePointer: Int?

    /// For each parameter, the offset of its value in an image.
    let offsets: UnsafePointer<Int>
    /// The values as they are copied: those of eight bytes, those of four, the others.
    let values: UnsafePointer<CopiedValue>
    let endOfWords: UnsafePointer<CopiedValue>
    let endOfHalves: UnsafePointer<CopiedValue>
    let endOfValues: UnsafePointer<CopiedValue>
    /// The pointers whose pointed-to values are captured, in the order of the parameters.
    let pointers: UnsafePointer<CapturedPointer>
    let pointerCount: Int
}

/// A value to be copied into an image.
struct CopiedValue: BitwiseCopyable {
    let parameter: UInt32
    let offset: UInt32
    let size: UInt64

    init(parameter: Int, offset: Int, size: Int) {
        self.parameter = UInt32(parameter)
        self.offset = UInt32(offset)
        self.size = UInt64(size)
    }
}

/// A pointer among the arguments, and the way in which the pointed-to value is captured.
struct CapturedPointer: BitwiseCopyable {
    enum Rule: BitwiseCopyable {
        /// The text is copied with its terminating zero.
        case string
        /// A fixed number of elements is copied.
        case elements(Int, size: Int)
        /// The number of elements is another argument.
        case counted(by: Int, ResultKind, size: Int)
        case managed(UnsafeMutablePointer<peal_type_hooks>)
    }

    let parameter: Int
    /// The offset of the pointer in an image.
    let offset: Int
    let rule: Rule
}
