internal import CPealSupport
import PealCall

extension QueueItem {
    func forEach(_ body: (QueueItem) -> Void) {
        var next: QueueItem? = self
        while let item = next {
            next = item.pointee.next
            body(item)
        }
    }

    /// Releases a chain of items that were removed from a mailbox.
    func discardAll() {
        forEach { $0.discard() }
    }

    /// Releases an item without making its calls. A task runs in any case.
    func discard() {
        if isTask { return runTask() }
        let call = peal_item_call(self)
        let group = pointee.group.unsafelyUnwrapped
        if let extras = peal_call_extras_of(call) {
            if peal_call_is_tapped(call) { peal_tap_dropped(self, &extras.pointee.sending) }
            let answering = group.answering(Int(pointee.count), besides: extras.pointee.sending.except)
            Completion.find(extras.pointee.completion)?.dropReserved(answering)
        }
        releaseCall(of: group)
        ObserverGroup.release(group)
    }

    /// Makes an item's calls, or runs its task. The item's reference to its group passes to the caller.
    ///
    /// - Returns: The number of calls made.
    func run() -> Int {
        guard let group = pointee.group else {
            runTask()
            return 0
        }
        let made = DeliveryRun(group: group, count: Int(pointee.count), call: peal_item_call(self)).run()
        releaseCall(of: group)
        return made
    }

    private func runTask() {
        let task = peal_task_of(self)
        task.pointee.run(task)
    }

    private func releaseCall(of group: ObserverGroup.Pointer) {
        CapturedCall.release(peal_item_call(self), copying: group.pointee.copying)
    }
}
