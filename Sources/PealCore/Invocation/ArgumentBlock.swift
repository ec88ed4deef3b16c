internal import CPealSupport
import PealCall

/// The memory with an invocation's arguments, as they were given or captured. A capture never changes once other
/// threads can find it. Given values are written in place, under the invocation's lock: see invocation.h of
/// CPealSupport.
final class ArgumentBlock: Sendable {
    // The plan is never freed. The memory is written before the block is shared, and freed with it.
    private nonisolated(unsafe) let plan: CopyPlan.Pointer
    nonisolated(unsafe) let memory: UnsafeMutableRawPointer
    /// True if the block owns the pointed-to values too.
    let isCaptured: Bool

    private init(plan: CopyPlan.Pointer, memory: UnsafeMutableRawPointer, isCaptured: Bool) {
        self.plan = plan
        self.memory = memory
        self.isCaptured = isCaptured
    }

    /// Runs the hooks of types, so no lock may be held when the last reference is released.
    deinit {
        if isCaptured { plan.release(memory) }
        Self.free(memory)
    }

    /// The values that are read without a lock. A capture has none.
    var values: UnsafeMutablePointer<peal_invocation_values> { Self.values(memory) }

    var size: Int { plan.pointee.fixedSize }

    /// Replaces one given value. The caller must hold the invocation's lock.
    func write(_ index: Int, from source: UnsafeRawPointer, size: Int) {
        peal_invocation_values_write(values, plan.pointee.offsets[index], source, size)
    }

    /// All values are zero.
    static func zeros(_ plan: CopyPlan.Pointer) throws(Failure) -> ArgumentBlock {
        ArgumentBlock(plan: plan, memory: try allocate(plan.pointee.fixedSize), isCaptured: false)
    }

    /// The values as they are given.
    static func values(
        _ plan: CopyPlan.Pointer, _ arguments: Broadcast.Arguments?
    ) throws(Failure) -> ArgumentBlock {
        let block = try zeros(plan)
        if let arguments { _ = plan.copyValues(arguments, to: block.memory) }
        return block
    }

    /// The values and the pointed-to values. It runs user code.
    static func captured(
        _ plan: CopyPlan.Pointer, _ arguments: Broadcast.Arguments?, of method: Method
    ) throws(Failure) -> ArgumentBlock {
        let memory = try allocate(plan.size(of: arguments))
        do throws(CaptureFailure) {
            try plan.capture(arguments, into: memory)
        } catch {
            free(memory)
            throw Failure(
                .memory,
                "\(method.title): \(method.title(ofParameter: error.parameter)) could not be captured: the copy function of its type returned NULL, or the type was removed")
        }
        peal_invocation_values_close(values(memory))
        return ArgumentBlock(plan: plan, memory: memory, isCaptured: true)
    }

    /// Memory for whole words, after those of the version.
    private static func allocate(_ size: Int) throws(Failure) -> UnsafeMutableRawPointer {
        let size = size.roundedUp(to: 8) + CopyPlan.alignment
        // Cleared here: a cleared allocation costs three times as much.
        guard let memory = peal_memory_allocate_unset(size) else { throw .outOfMemory }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        return memory + CopyPlan.alignment
    }

    private static func free(_ memory: UnsafeMutableRawPointer) { peal_memory_free(memory - CopyPlan.alignment) }

    private static func values(_ memory: UnsafeMutableRawPointer) -> UnsafeMutablePointer<peal_invocation_values> {
        (memory - MemoryLayout<peal_invocation_values>.size).assumingMemoryBound(to: peal_invocation_values.self)
    }

    /// The offset of a parameter's value.
    func value(_ index: Int) -> UnsafeMutableRawPointer { memory + plan.pointee.offsets[index] }

    /// Passes one pointer for each parameter, in an array of the caller's. The block is retained meanwhile.
    ///
    /// - Parameter copy: The memory to which the values are copied, if they may be replaced meanwhile.
    func withArguments<Value>(
        of copy: UnsafeMutableRawPointer? = nil,
        _ body: (UnsafeMutablePointer<UnsafeMutableRawPointer?>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        // A Result, because temporary allocations rethrow no typed errors.
        let result = plan.withPointers(into: copy ?? memory) { slots in Result { () throws(Failure) in try body(slots) } }
        return try withExtendedLifetime(self) { () throws(Failure) in try result.get() }
    }
}
