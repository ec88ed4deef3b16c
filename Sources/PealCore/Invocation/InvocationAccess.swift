internal import CPealSupport
import PealCall

/// Broadcasts of invocations and sets of arguments that need no general path. Not members of the class, whose metadata
/// would have to be looked up first.
public enum InvocationAccess {
    private static var mostBytes: Int { 256 }
    private static var mostParameters: Int { 16 }

    /// Broadcasts a method that returns nothing, with arguments that are not retained.
    ///
    /// The values are copied, and the copy is used if the invocation was alive and not written to meanwhile: nothing is
    /// allocated, no lock is taken, and no memory is written that other threads use.
    ///
    /// - Returns: nil if no observer was called, and `Invocation.broadcast` must make the calls.
    public static func broadcastFast(_ id: UInt64, calls: UnsafeMutablePointer<Int>?) -> Broadcast.Outcome? {
        withUnsafeTemporaryAllocation(byteCount: mostBytes, alignment: CopyPlan.alignment) { copy in
            let copy = copy.baseAddress.unsafelyUnwrapped
            var call = peal_invocation_call()
            guard peal_invocation_read(id, copy, mostBytes, &call) else { return nil }
            let plan = call.copy_plan.unsafelyUnwrapped.assumingMemoryBound(to: CopyPlan.self)
            let count = plan.pointee.parameterCount
            guard count <= mostParameters else { return nil }
            return withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: mostParameters) {
                memory in
                let arguments = memory.baseAddress.unsafelyUnwrapped
                var index = 0
                while index < count {
                    arguments[index] = copy + plan.pointee.offsets[index]
                    index += 1
                }
                let outcome: Broadcast.Outcome = Broadcast.send(call.method, arguments, count, nil, calls)
                // The general path fails again, and makes the sentence.
                return outcome.isFailure ? nil : outcome
            }
        }
    }

    /// Sets an argument that is not retained.
    ///
    /// - Returns: False if it was not set, and `Invocation.write` must set it.
    public static func setFast(_ id: UInt64, _ index: Int, _ value: UnsafeRawPointer, _ size: Int) -> Bool {
        guard let values = peal_invocation_lock(id) else { return false }
        defer { peal_lock_release(&values.pointee.lock) }
        let call = values.pointee.call_plan.unsafelyUnwrapped.assumingMemoryBound(to: CallPlan.self)
        let method = values.pointee.method
        guard index >= 0, index < call.pointee.parameterCount, call.pointee.parameterSizes[index] == size,
            let element = peal_directory_find(method), peal_directory_is_of(element, method)
        else { return false }
        let copy = values.pointee.copy_plan.unsafelyUnwrapped.assumingMemoryBound(to: CopyPlan.self)
        peal_invocation_write(values, copy.pointee.offsets[index], value, size)
        return true
    }
}
