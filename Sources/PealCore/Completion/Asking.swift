internal import CPealSupport
import PealCall

/// Calls that are to be answered: each observer gets a token of its own instead of the caller's completion, or
/// its result is a reply.
struct Asking {
    let calls: ResultCalls
    /// No caller waits for answers if this is nil, or has ended.
    let completion: Completion?
    /// The index of the parameter that receives tokens; nil: results are replies.
    let parameter: Int?
    /// True if the calls were counted when they were enqueued.
    var isReserved = false

    /// - Returns: The number of called observers.
    func run() -> Int {
        guard let parameter else { return runForReplies() }
        var token: UInt64 = 0
        return withUnsafeMutablePointer(to: &token) { token in
            calls.run { entry, arguments in
                let record = entry.pointee.record
                // The record of a lazy observer's instance refers to the registered placeholder, which has the owner.
                let owner = (record.placeholder ?? record).ownerNumber
                token.pointee = completion?.issueToken(for: owner, isReserved: isReserved) ?? 0
                arguments[parameter] = UnsafeMutableRawPointer(token)
                return true
            } take: { _, _ in
                true
            }
        }
    }

    private func runForReplies() -> Int {
        calls.run { _, _ in
            false
        } take: { entry, result in
            completion?.reply(
                from: entry.pointee.record.pointee.id, result, size: calls.plan.pointee.resultSize,
                isReserved: isReserved)
            return true
        }
    }
}

extension Broadcast.List {
    /// The number of observers that a broadcast calls now, here and on queues.
    func tokenCount(besides excepted: UInt64) -> Int {
        let queued =
            hasGroups ? groups.reduce(0) { $0 + $1.called(Int(peal_group_count($1)), besides: excepted) } : 0
        let entries = UnsafeBufferPointer(start: peal_snapshot_entries(self), count: Int(peal_snapshot_count(self)))
        let closed = ObserverGate.removed | ObserverGate.lazy | ObserverGate.blocks
        return queued
            + entries.count { peal_gate_load($0.gate) & closed == 0 && $0.record.pointee.id != excepted }
    }
}
