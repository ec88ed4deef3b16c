internal import CPealSupport
import PealCall

/// The captured arguments of one broadcast with one item for each queue, in one allocation. The last
/// item that is let go frees it.
enum CapturedCall {
    typealias Pointer = UnsafeMutablePointer<peal_kept_call>

    /// Captures. The items are there but lead nowhere yet.
    ///
    /// - Parameter completion: What waits for answers; 0 for nothing.
    static func make(
        _ arguments: Broadcast.Arguments?, copying: CopyPlan.Pointer, itemCount: Int, completion: UInt64
    ) throws(Broadcast.Outcome) -> Pointer {
        let header = peal_call_header(UInt32(itemCount), completion != 0)
        guard let memory = peal_memory_allocate_unset(header + copying.size(of: arguments)) else { throw .outOfMemory }
        let call = memory.bindMemory(to: peal_kept_call.self, capacity: 1)
        peal_call_begin(call, UInt32(itemCount), completion)
        do throws(CaptureFailure) {
            try copying.capture(arguments, into: peal_call_arguments(call))
        } catch {
            peal_memory_free(memory)
            throw .captureFailed
        }
        return call
    }

    static func free(_ call: Pointer, copying: UnsafeRawPointer) {
        copying.assumingMemoryBound(to: CopyPlan.self).release(peal_call_arguments(call))
        peal_memory_free(call)
    }
}
