internal import CPealSupport

/// Raw memory was refused.
public struct OutOfMemory: Error {}

/// Raw allocations that can fail without ending the process.
public enum RawMemory {
    /// Memory for `count` values, all bytes zero.
    public static func allocate<Value: BitwiseCopyable>(
        _ type: Value.Type, count: Int
    ) throws(OutOfMemory) -> UnsafeMutablePointer<Value> {
        let (bytes, overflow) = max(count, 1).multipliedReportingOverflow(by: MemoryLayout<Value>.stride)
        guard !overflow, let memory = peal_memory_allocate(bytes) else { throw OutOfMemory() }
        return memory.bindMemory(to: type, capacity: max(count, 1))
    }

    public static func free(_ memory: UnsafeMutableRawPointer?) {
        peal_memory_free(memory)
    }
}
