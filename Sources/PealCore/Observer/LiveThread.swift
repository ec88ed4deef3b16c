internal import CPealSupport

/// A thread that other threads wait for. A fork leaves all threads but one in the parent. A thread of the child may then
/// get the record of a lost one, so the record alone does not name the thread.
struct LiveThread: Equatable, Sendable {
    /// The address of the thread's record; 0: it has none, because memory is short.
    let slot: UInt
    /// The number in the record, which a fork changes if it leaves the thread in the parent.
    private let process: UInt32

    static var current: LiveThread {
        let thread = peal_thread_current()
        return LiveThread(slot: UInt(bitPattern: thread), process: thread?.pointee.process ?? 0)
    }

    /// True if a fork has left the thread in the parent, where alone it goes on.
    var isLost: Bool { Self.isLost(slot, since: process) }

    /// Returns true if a fork has left the thread in the parent that had this record in a process of this number. Another
    /// thread may have the record now.
    static func isLost(_ slot: UInt, since process: UInt32) -> Bool {
        UnsafePointer<peal_thread>(bitPattern: slot).map { $0.pointee.process > process } ?? false
    }
}
