internal import CPealSupport
import PealCall

/// Puts the calls of a broadcast on the queues of its observers: one copy of the arguments, one item a
/// queue.
enum Delivery {
    /// - Returns: How many calls wait now, and whether a full queue refused some.
    ///
    /// - Parameter completion: What waits for answers.
    static func enqueue(
        _ list: Broadcast.List, _ arguments: Broadcast.Arguments?, for completion: Completion? = nil
    ) throws(Broadcast.Outcome) -> (calls: Int, isRejected: Bool) {
        let groups = list.groups
        guard let copying = groups.first?.pointee.copying.assumingMemoryBound(to: CopyPlan.self) else {
            return (0, false)
        }
        let call = try CapturedCall.make(arguments, copying: copying, itemCount: groups.count)
        let items = peal_call_items(call)
        call.pointee.completion = completion?.number ?? 0
        var calls = 0
        var isRejected = false
        for (index, group) in groups.enumerated() {
            let item = items + index
            peal_group_retain(group)
            let count = peal_group_count(group)
            let offset = UnsafeRawPointer(item) - UnsafeRawPointer(call)
            item.initialize(to: peal_item(next: nil, group: group, count: count, offset: UInt32(offset)))
            completion?.reserve(Int(count))
            switch group.pointee.mailbox.push(item) {
            case .accepted: calls += Int(count)
            case .dropped: break
            case .rejected: isRejected = true
            }
        }
        return (calls, isRejected)
    }
}
