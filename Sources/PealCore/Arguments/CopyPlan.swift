internal import CPealSupport
import PealCall

/// How the arguments of a call are captured, so that they outlive the call: the values in one block of
/// memory, and pointed-to memory as its declaration requires.
///
/// A block begins with the values, each at its own offset, aligned as its type is; copies of strings and
/// buffers follow. Copies of structs and retained objects are stored elsewhere, and the block releases them.
///
/// A plan is made when a method is defined. Methods share equal plans. A plan is never changed and never freed, so a
/// captured call refers to it by a bare pointer, without a count.
public struct CopyPlan: BitwiseCopyable, @unchecked Sendable {
    // Unchecked because of the pointers: the pointed-to memory is written before the plan is shared.

    public typealias Pointer = UnsafePointer<CopyPlan>

    /// The alignment of blocks, in bytes: that of allocated memory.
    public static let alignment = 16

    public let parameterCount: Int
    /// The bytes of the values alone.
    public let fixedSize: Int
    /// Nothing but values: a block has `fixedSize` bytes, and nothing is released.
    public let isPlain: Bool
    /// The first parameter that is a pointer without a rule, unless the method has the option
    /// `borrowed`. A block contains the unchanged pointer.
    public let firstBarePointer: Int?

    /// For each parameter, the offset of its value in a block.
    let offsets: UnsafePointer<Int>
    /// The values as they are copied: those of eight bytes, those of four, the others.
    let values: UnsafePointer<CopiedValue>
    let endOfWords: UnsafePointer<CopiedValue>
    let endOfHalves: UnsafePointer<CopiedValue>
    let endOfValues: UnsafePointer<CopiedValue>
    /// The parameters that need more than their value copied, in order.
    let pointers: UnsafePointer<CapturedPointer>
    let pointerCount: Int
}

/// A value to be copied into a block.
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
        /// Copied up to its zero.
        case string
        /// So many elements are copied.
        case elements(Int, size: Int)
        /// The number of elements is another argument.
        case counted(by: Int, ResultKind, size: Int)
        case managed(UnsafeMutablePointer<peal_type_hooks>)
    }

    let parameter: Int
    /// The offset of the pointer in a block.
    let offset: Int
    let rule: Rule
}
