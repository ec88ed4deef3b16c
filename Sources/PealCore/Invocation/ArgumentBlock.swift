internal import CPealSupport
import PealCall

/// A capture of an invocation's arguments: the values and the pointed-to values. It never changes.
final class ArgumentBlock: Sendable {
    // The plan is never freed. The memory is written before the block is shared, and freed with it.
    private nonisolated(unsafe) let plan: CopyPlan.Pointer
    nonisolated(unsafe) let memory: UnsafeMutableRawPointer

    private init(plan: CopyPlan.Pointer, memory: UnsafeMutableRawPointer) {
        self.plan = plan
        self.memory = memory
    }

    /// Runs the hooks of types, so no lock may be held when the last reference is released.
    deinit {
        plan.release(memory)
        peal_memory_free(memory)
    }

    /// Captures the arguments of a broadcast. It runs user code.
    static func captured(
        _ plan: CopyPlan.Pointer, _ arguments: Broadcast.Arguments?
    ) throws(Broadcast.Outcome) -> ArgumentBlock {
        guard let memory = peal_memory_allocate(max(plan.size(of: arguments), 1)) else { throw .outOfMemory }
        do throws(CaptureFailure) {
            try plan.capture(arguments, into: memory)
        } catch {
            peal_memory_free(memory)
            throw .captureFailed
        }
        return ArgumentBlock(plan: plan, memory: memory)
    }

    /// Captures arguments. It runs user code.
    static func captured(
        _ plan: CopyPlan.Pointer, _ arguments: Broadcast.Arguments?, of method: Method
    ) throws(Failure) -> ArgumentBlock {
        guard let memory = peal_memory_allocate(max(plan.size(of: arguments), 1)) else { throw .outOfMemory }
        do throws(CaptureFailure) {
            try plan.capture(arguments, into: memory)
        } catch {
            peal_memory_free(memory)
            throw Failure(
                .memory,
                "\(method.title): \(method.title(ofParameter: error.parameter)) could not be captured: the copy function of its type returned NULL, or the type was removed"
            )
        }
        return ArgumentBlock(plan: plan, memory: memory)
    }

    /// Passes one pointer for each parameter, in an array that `body` may change. The block is retained meanwhile.
    func withArguments<Value>(
        _ body: (UnsafeMutablePointer<UnsafeMutableRawPointer?>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        // A Result, because temporary allocations rethrow no typed errors.
        let result = plan.withPointers(into: memory) { slots in Result { () throws(Failure) in try body(slots) } }
        return try withExtendedLifetime(self) { () throws(Failure) in try result.get() }
    }
}
