internal import CPealSupport
import PealCall

/// The arguments of a call, in the caller's form.
enum Carrier {
    /// One pointer for each parameter.
    case pointers(Broadcast.Arguments?)
    /// The words of a frame, with those of the stack if its shape uses the stack.
    case words(UnsafePointer<UInt64>, CallPlan.Pointer)

    /// The pointers, for the sentence of a failure; nil for another form of arguments.
    var pointers: Broadcast.Arguments? {
        if case .pointers(let arguments) = self { arguments } else { nil }
    }
}

extension CopyPlan.Pointer {
    /// Writes the values to an image. Pointed-to memory is not copied.
    ///
    /// - Returns: False if an argument is missing.
    @inline(__always)
    func copyValues(_ carrier: Carrier, to image: UnsafeMutableRawPointer) -> Bool {
        switch carrier {
        case .pointers(let arguments):
            guard let arguments else { return pointee.parameterCount == 0 }
            return copyValues(arguments, to: image)
        case .words(let words, let plan):
            CallPlan.readFrame(plan, words, intoImage: image)
            return true
        }
    }

    /// Returns true if a carrier has all arguments.
    func isComplete(_ carrier: Carrier) -> Bool {
        guard case .pointers(let arguments) = carrier, pointee.parameterCount > 0 else { return true }
        return arguments.map { arguments in (0..<pointee.parameterCount).allSatisfy { arguments[$0] != nil } } ?? false
    }

    /// Passes one pointer for each parameter. The values of a frame are written to an image on the thread's stack.
    @inline(__always)
    func withArguments(of carrier: Carrier, _ body: (Broadcast.Arguments?) -> Void) {
        switch carrier {
        case .pointers(let arguments): body(arguments)
        case .words:
            withImage { arguments, image in
                _ = copyValues(carrier, to: image)
                body(arguments)
            }
        }
    }

    /// Copies the argument values to memory in which each has the alignment of its type.
    @inline(never)
    func withCopies(of given: Broadcast.Arguments, _ body: (Broadcast.Arguments) -> Void) {
        withImage { arguments, image in
            _ = copyValues(given, to: image)
            body(arguments)
        }
    }

    /// Passes an image on the thread's stack, and one pointer into it for each parameter.
    @inline(__always)
    private func withImage(
        _ body: (UnsafeMutablePointer<UnsafeMutableRawPointer?>, UnsafeMutableRawPointer) -> Void
    ) {
        withUnsafeTemporaryAllocation(byteCount: max(1, pointee.fixedSize), alignment: CopyPlan.alignment) { image in
            let image = image.baseAddress.unsafelyUnwrapped
            withPointers(into: image) { body($0, image) }
        }
    }

    /// Passes one pointer into an image for each parameter, in an array that the caller may change.
    @inline(__always)
    func withPointers<Value>(
        into image: UnsafeMutableRawPointer, _ body: (UnsafeMutablePointer<UnsafeMutableRawPointer?>) -> Value
    ) -> Value {
        withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: CallPlan.slotCount) { memory in
            let arguments = memory.baseAddress.unsafelyUnwrapped
            pointers(of: image, into: arguments)
            return body(arguments)
        }
    }
}
