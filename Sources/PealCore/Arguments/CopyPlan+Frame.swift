internal import CPealSupport
import PealCall

extension CopyPlan.Pointer {
    /// Reads the argument values of a call that came as a frame into memory of the thread's stack.
    @inline(__always)
    func withArguments(
        of words: UnsafePointer<UInt64>, _ plan: CallPlan.Pointer, _ body: (Broadcast.Arguments) -> Void
    ) {
        withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: CallPlan.slotCount) { memory in
            withUnsafeTemporaryAllocation(
                byteCount: max(1, pointee.fixedSize), alignment: CopyPlan.alignment
            ) { values in
                let arguments = memory.baseAddress.unsafelyUnwrapped
                pointers(of: values.baseAddress.unsafelyUnwrapped, into: arguments)
                CallPlan.readFrame(plan, words, into: arguments)
                body(arguments)
            }
        }
    }
}
