internal import CPealSupport
import PealCall

/// The plain `ffi_call` loop, which discards results, for calls that fit in no frame.
enum FFIReplay {
    /// - Returns: The number of called observers, or nil if an argument is null.
    @inline(__always)
    static func each(
        _ plan: CallPlan.Pointer, _ arguments: Broadcast.Arguments?, to entries: UnsafePointer<SnapshotEntry>,
        count: Int, _ hazard: Broadcast.Hazard
    ) -> Int? {
        withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: CallPlan.slotCount) { memory in
            // Aligned for any result: a function that returns a struct in memory relies on that.
            withUnsafeTemporaryAllocation(byteCount: CallPlan.smallResultSize, alignment: 16) { room in
                let slots = memory.baseAddress.unsafelyUnwrapped
                // A struct in memory whose value is discarded: libffi allocates the memory for it.
                let isLarge = plan.pointee.resultSize > CallPlan.smallResultSize
                let result = isLarge ? nil : room.baseAddress
                guard CallPlan.fillSlots(plan, from: arguments, into: slots) else { return nil }
                return FrameReplay.eachEntry(entries, count, hazard) { entry in
                    slots[0] = peal_snapshot_entry_target(entry)
                    CallPlan.callThroughFFI(
                        plan, function: entry.pointee.function, slots: slots, arguments: arguments, result: result)
                    return true
                }
            }
        }
    }
}
