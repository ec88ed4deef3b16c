internal import CPealSupport
import PealCall

/// The captured arguments of one broadcast with one item for each queue, in one allocation. The last
/// item that is let go frees it.
enum CapturedCall {
    typealias Pointer = UnsafeMutablePointer<peal_call>

    /// Captures. The items are there but lead nowhere yet.
    static func make(
        _ arguments: Broadcast.Arguments?, copying: CopyPlan.Pointer, itemCount: Int
    ) throws(Broadcast.Outcome) -> Pointer {
        let header = (MemoryLayout<peal_call>.stride + itemCount * MemoryLayout<peal_item>.stride)
            .roundedUp(to: CopyPlan.alignment)
        guard let memory = peal_memory_allocate(header + copying.size(of: arguments)) else { throw .outOfMemory }
        let call = memory.bindMemory(to: peal_call.self, capacity: 1)
        call.pointee.item_count = UInt32(itemCount)
        call.pointee.references = UInt32(itemCount)
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
