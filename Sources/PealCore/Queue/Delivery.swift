internal import CPealSupport
import PealCall

/// Puts the calls of a broadcast on the queues of its observers: one copy of the arguments, one item a
/// queue.
enum Delivery {
    /// A whole broadcast, where all observers have queues and nothing else is special.
    ///
    /// - Returns: nil where it is another one: nobody was called, and the list is still held.
    static func sendPlainly(
        _ hold: Broadcast.Hold, _ arguments: Broadcast.Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
        _ calls: UnsafeMutablePointer<Int>?, _ number: UInt64
    ) -> Broadcast.Outcome? {
        let list = Broadcast.list(hold)
        // The number first: with another method's list nothing else means anything.
        guard peal_snapshot_method(list) == number, result == nil, list.hasGroups, peal_snapshot_count(list) == 0,
            MethodTraits(rawValue: peal_snapshot_traits(list)).isPlainBesidesObservers,
            peal_snapshot_parameter_count(list) == count, areThere(arguments, count)
        else { return nil }
        do throws(Broadcast.Outcome) {
            let queued = try enqueue(list, arguments)
            calls?.pointee = queued.calls
            Broadcast.release(hold)
            return queued.isRejected ? .rejected : .done
        } catch {
            calls?.pointee = 0
            let outcome = Broadcast.fail(error, number, arguments, count)
            Broadcast.release(hold)
            return outcome
        }
    }

    private static func areThere(_ arguments: Broadcast.Arguments?, _ count: Int) -> Bool {
        guard count > 0 else { return true }
        guard let arguments else { return false }
        for index in 0..<count where arguments[index] == nil { return false }
        return true
    }

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
        let call = try CapturedCall.make(arguments, copying: copying, itemCount: groups.count, completion: completion?.number ?? 0)
        let items = peal_call_items(call)
        var calls = 0
        var isRejected = false
        for (index, group) in groups.enumerated() {
            let item = items + index
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
