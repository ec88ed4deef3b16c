internal import CPealSupport

/// The references that items pass to the thread that ran them, released together at an item of another group. Until
/// then the group is in use in any case.
struct UsedGroup {
    private var group: ObserverGroup.Pointer?
    private var items: UInt32 = 0

    /// Called before an item is run, with its group; nil for a task, and at the end. It may run destroy callbacks: call
    /// with no lock held.
    mutating func turn(to next: ObserverGroup.Pointer?) {
        if next == group, items < .max {
            items += next == nil ? 0 : 1
            return
        }
        change(to: next)
    }

    @inline(never)
    private mutating func change(to next: ObserverGroup.Pointer?) {
        if let group { ObserverGroup.release(group, items: items) }
        group = next
        items = next == nil ? 0 : 1
    }
}
