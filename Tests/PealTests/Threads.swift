import Dispatch

/// Runs closures on threads of their own, and waits for all of them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for index in 0..<count {
        DispatchQueue(label: "thread \(index)").async(group: group) { body(index) }
    }
    group.wait()
}
