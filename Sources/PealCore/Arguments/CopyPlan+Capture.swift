internal import CPealSupport
import PealCall

/// Arguments are captured in three steps: get the size, allocate that much memory (aligned to `CopyPlan.alignment`),
/// and capture into that memory. Later any thread releases the capture and frees the memory. These functions neither
/// allocate nor acquire a lock. They call the hooks of types, which are user code, so the caller must hold no lock.
///
/// `arguments` is one pointer for each parameter, none of them nil; nil if there are no parameters.
extension CopyPlan.Pointer {
    /// Returns the size of a capture of these arguments, in bytes.
    public func size(of arguments: Broadcast.Arguments?) -> Int {
        guard !pointee.hasNoPointers, let arguments else { return pointee.fixedSize }
        var end = pointee.fixedSize
        for pointer in captured {
            guard let source = pointer.target(in: arguments) else { continue }
            let room = pointer.room(for: source, arguments)
            end = end.roundedUp(to: room.alignment) + room.size
        }
        return end
    }

    /// Captures the arguments. Pointed-to memory must be unchanged since `size(of:)`.
    ///
    /// If the copy function of a type refuses, the captures that were made before are released.
    public func capture(
        _ arguments: Broadcast.Arguments?, into memory: UnsafeMutableRawPointer
    ) throws(CaptureFailure) {
        guard let arguments else { return }
        _ = copyValues(arguments, to: memory)
        if !pointee.hasNoPointers { try capturePointers(arguments, into: memory) }
    }

    /// Captures the arguments, or only retains the counted object that keeps pointed-to memory alive, if there is one.
    func capture(
        _ arguments: Broadcast.Arguments?, sharing memory: UInt64, into image: UnsafeMutableRawPointer
    ) throws(CaptureFailure) {
        guard memory != 0, let arguments else { return try capture(arguments, into: image) }
        guard Reference.tryRetain(memory) else { throw CaptureFailure(parameter: 0) }
        _ = copyValues(arguments, to: image)
    }

    /// Releases what `capture(_:sharing:into:)` captured.
    func release(_ image: UnsafeMutableRawPointer, sharing memory: UInt64) {
        if memory == 0 { release(image) } else { _ = peal_counted_release(memory) }
    }

    @inline(never)
    private func capturePointers(
        _ arguments: Broadcast.Arguments, into memory: UnsafeMutableRawPointer
    ) throws(CaptureFailure) {
        var end = pointee.fixedSize
        for (index, pointer) in captured.enumerated() {
            guard let source = pointer.target(in: arguments) else { continue }
            if case .managed(let hooks) = pointer.rule {
                guard let own = peal_hooks_capture(hooks, source) else {
                    release(memory, first: index)
                    throw CaptureFailure(parameter: pointer.parameter)
                }
                memory.storeBytes(of: own, toByteOffset: pointer.offset, as: UnsafeMutableRawPointer.self)
                continue
            }
            let room = pointer.room(for: source, arguments)
            guard room.size > 0 else { continue }
            let copy = memory + end.roundedUp(to: room.alignment)
            copy.copyMemory(from: source, byteCount: room.size)
            memory.storeBytes(of: copy, toByteOffset: pointer.offset, as: UnsafeMutableRawPointer.self)
            end = end.roundedUp(to: room.alignment) + room.size
        }
    }

    /// Stores one pointer for each parameter in `slots`. It points to the parameter's value in an image.
    public func pointers(
        of memory: UnsafeMutableRawPointer, into slots: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) {
        let offsets = pointee.offsets
        for index in 0..<pointee.parameterCount { slots[index] = memory + offsets[index] }
    }

    /// Releases the objects and the copies of structs of an image. The caller frees the memory of the image.
    public func release(_ memory: UnsafeMutableRawPointer) {
        guard !pointee.hasNoPointers else { return }
        release(memory, first: pointee.pointerCount)
    }

    private func release(_ memory: UnsafeMutableRawPointer, first count: Int) {
        for pointer in captured.prefix(count) {
            guard case .managed(let hooks) = pointer.rule,
                let own = memory.load(fromByteOffset: pointer.offset, as: UnsafeMutableRawPointer?.self)
            else { continue }
            peal_hooks_release(hooks, own)
        }
    }

    private var captured: UnsafeBufferPointer<CapturedPointer> {
        UnsafeBufferPointer(start: pointee.pointers, count: pointee.pointerCount)
    }

    /// Copies the values alone. Pointed-to memory keeps its owner.
    ///
    /// - Returns: False if an argument is missing.
    @inline(__always)
    func copyValues(_ arguments: Broadcast.Arguments, to memory: UnsafeMutableRawPointer) -> Bool {
        var value = pointee.values
        // Most values are words, and testing the kind of each would cost more than copying it.
        while value != pointee.endOfWords {
            guard copy(value, UInt64.self, arguments, to: memory) else { return false }
            value += 1
        }
        while value != pointee.endOfHalves {
            guard copy(value, UInt32.self, arguments, to: memory) else { return false }
            value += 1
        }
        while value != pointee.endOfValues {
            guard let source = arguments[Int(value.pointee.parameter)] else { return false }
            (memory + Int(value.pointee.offset)).copyMemory(from: source, byteCount: Int(value.pointee.size))
            value += 1
        }
        return true
    }

    @inline(__always)
    private func copy<Word: BitwiseCopyable>(
        _ value: UnsafePointer<CopiedValue>, _ type: Word.Type, _ arguments: Broadcast.Arguments,
        to memory: UnsafeMutableRawPointer
    ) -> Bool {
        guard let source = arguments[Int(value.pointee.parameter)] else { return false }
        memory.storeBytes(of: source.loadUnaligned(as: type), toByteOffset: Int(value.pointee.offset), as: type)
        return true
    }
}

extension CapturedPointer {
    /// The pointed-to memory of the argument, if any.
    fileprivate func target(in arguments: Broadcast.Arguments) -> UnsafeMutableRawPointer? {
        arguments[parameter]?.loadUnaligned(as: UnsafeMutableRawPointer?.self)
    }

    /// The room that a copy takes in the image. Buffers are aligned for any type.
    fileprivate func room(
        for source: UnsafeMutableRawPointer, _ arguments: Broadcast.Arguments
    ) -> (size: Int, alignment: Int) {
        switch rule {
        case .managed: (0, 1)
        case .string: (peal_memory_text_size(source.assumingMemoryBound(to: CChar.self)), 1)
        case .elements(let count, let size): (count * size, CopyPlan.alignment)
        case .counted(let parameter, let kind, let size):
            (Self.bytes(arguments[parameter].map { kind.integer($0) } ?? 0, size), CopyPlan.alignment)
        }
    }

    /// No buffer is longer than half the address space, so a greater value is not a length.
    private static func bytes(_ count: Int, _ size: Int) -> Int {
        let (bytes, overflow) = count.multipliedReportingOverflow(by: size)
        return overflow || bytes < 0 ? 0 : bytes
    }
}

extension ResultKind {
    /// The value as a count. The result is negative for a value above `Int.max`, which cannot be a count.
    fileprivate func integer(_ value: UnsafeMutableRawPointer) -> Int {
        switch self {
        case .int8: Int(value.load(as: Int8.self))
        case .uint8: Int(value.load(as: UInt8.self))
        case .int16: Int(value.load(as: Int16.self))
        case .uint16: Int(value.load(as: UInt16.self))
        case .int32: Int(value.load(as: Int32.self))
        case .uint32: Int(value.load(as: UInt32.self))
        default: value.load(as: Int.self)
        }
    }
}

/// An argument was not captured: the copy function of its type failed, or the type has been removed.
public struct CaptureFailure: Error {
    /// Index of the argument.
    public let parameter: Int
}
