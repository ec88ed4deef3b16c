internal import CPealSupport
import PealCall

/// A capture of an invocation's arguments: the values and the pointed-to values. It never changes.
final class ArgumentBlock: Sendable {
    // The memory is written before the block is shared. It is preceded by the pointer to its plan.
    nonisolated(unsafe) let memory: UnsafeMutableRawPointer
    /// The memory as a counted object, which calls on queues retain instead of copying pointed-to values. 0 if there are
    /// no such values, or if the process has too many counted objects.
    let reference: UInt64

    private init(_ memory: UnsafeMutableRawPointer, plan: CopyPlan.Pointer) {
        self.memory = memory
        var reference: UInt64 = 0
        if !plan.pointee.hasNoPointers, peal_counted_make(memory, Self.destroy, &reference) != PEAL_SLOT_ALLOCATED {
            reference = 0
        }
        self.reference = reference
    }

    /// Runs the hooks of types, so no lock may be held when the last reference is released.
    deinit {
        if reference == 0 { Self.destroy(memory) } else { _ = peal_counted_release(reference) }
    }

    /// Captures the arguments of a broadcast. It runs user code.
    static func captured(
        _ plan: CopyPlan.Pointer, _ arguments: Broadcast.Arguments?
    ) throws(Broadcast.Outcome) -> ArgumentBlock {
        guard let memory = allocate(plan, arguments) else { throw .outOfMemory }
        do throws(CaptureFailure) {
            return try fill(memory, plan, arguments)
        } catch {
            throw .captureFailed
        }
    }

    /// Captures arguments. It runs user code.
    static func captured(
        _ plan: CopyPlan.Pointer, _ arguments: Broadcast.Arguments?, of method: Method
    ) throws(Failure) -> ArgumentBlock {
        guard let memory = allocate(plan, arguments) else { throw .outOfMemory }
        do throws(CaptureFailure) {
            return try fill(memory, plan, arguments)
        } catch {
            throw Failure(
                .memory,
                "\(method.title): \(method.title(ofParameter: error.parameter)) could not be captured: the copy function of its type returned NULL, or the type was removed"
            )
        }
    }

    /// Passes one pointer for each parameter, in an array that `body` may change. The block is retained meanwhile.
    func withArguments<Value>(
        _ body: (UnsafeMutablePointer<UnsafeMutableRawPointer?>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        // A Result, because temporary allocations rethrow no typed errors.
        let result = Self.plan(of: memory).withPointers(into: memory) { slots in
            Result { () throws(Failure) in try body(slots) }
        }
        return try withExtendedLifetime(self) { () throws(Failure) in try result.get() }
    }

    // ---- Memory

    private static func allocate(
        _ plan: CopyPlan.Pointer, _ arguments: Broadcast.Arguments?
    ) -> UnsafeMutableRawPointer? {
        let memory = peal_memory_allocate(CopyPlan.alignment + plan.size(of: arguments))
        memory?.storeBytes(of: plan, as: CopyPlan.Pointer.self)
        return memory.map { $0 + CopyPlan.alignment }
    }

    private static func fill(
        _ memory: UnsafeMutableRawPointer, _ plan: CopyPlan.Pointer, _ arguments: Broadcast.Arguments?
    ) throws(CaptureFailure) -> ArgumentBlock {
        do throws(CaptureFailure) {
            try plan.capture(arguments, into: memory)
        } catch {
            peal_memory_free(memory - CopyPlan.alignment)
            throw error
        }
        return ArgumentBlock(memory, plan: plan)
    }

    private static func plan(of memory: UnsafeMutableRawPointer) -> CopyPlan.Pointer {
        (memory - CopyPlan.alignment).load(as: CopyPlan.Pointer.self)
    }

    /// Releases what was captured, and frees the memory.
    private static let destroy: @convention(c) (UnsafeMutableRawPointer?) -> Void = { memory in
        guard let memory else { return }
        ArgumentBlock.plan(of: memory).release(memory)
        peal_memory_free(memory - CopyPlan.alignment)
    }
}
