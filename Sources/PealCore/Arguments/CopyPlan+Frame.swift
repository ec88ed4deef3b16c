internal import CPealSupport
import PealCall

extension CopyPlan.Pointer {
    /// Reads the argument values of a call that came as a frame into memory of the thread's stack.
    @inline(__always)
    func withArguments(
        of words: UnsafePointer<UInt64>, _ plan: CallPlan.Pointer, _ body: (Broadcast.Arguments) -> Void
    ) {
        withRoom { arguments, _ in
            CallPlan.readFrame(plan, words, into: arguments)
            body(arguments)
        }
    }

    /// Copies the argument values to where each has the alignment of its type.
    @inline(never)
    func withCopies(of given: Broadcast.Arguments, _ body: (Broadcast.Arguments) -> Void) {
        withRoom { arguments, values in
            copyValues(given, to: values)
            body(arguments)
        }
    }

    @inline(__always)
    private func withRoom(
        _ body: (UnsafeMutablePointer<UnsafeMutableRawPointer?>, UnsafeMutableRawPointer) -> Void
    ) {
        withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: CallPlan.slotCount) { memory in
            withUnsafeTemporaryAllocation(
                byteCount: max(1, pointee.fixedSize), alignment: CopyPlan.alignment
            ) { values in
                let arguments = memory.baseAddress.unsafelyUnwrapped
                let values = values.baseAddress.unsafelyUnwrapped
                pointers(of: values, into: arguments)
                body(arguments, values)
            }
        }
    }
}
