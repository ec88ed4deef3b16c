internal import CPealSupport
import PealCall

/// Calls that are to be answered: each observer gets a token of its own instead of the caller's completion, or
/// its result is a reply.
struct AnsweredCalls {
    let calls: ResultCalls
    /// No caller waits for answers if this is nil, or has ended.
    let completion: Completion?
    /// The index of the parameter that receives tokens; nil: results are replies.
    let parameter: Int?
    /// True if the calls were counted when they were enqueued.
    var isReserved = false

    /// The number of passive observers among the called ones. They get no token, and their results are not passed on.
    private(set) var passive = 0

    init(calls: ResultCalls, completion: Completion?, parameter: Int?, isReserved: Bool = false) {
        self.calls = calls
        self.completion = completion
        self.parameter = parameter
        self.isReserved = isReserved
    }

    /// - Returns: The number of called observers.
    mutating func run() -> Int {
        var passive = 0
        defer { self.passive = passive }
        guard let parameter else { return runForReplies(&passive) }
        var token: UInt64 = 0
        return withUnsafeMutablePointer(to: &token) { token in
            calls.run { entry, arguments in
                let record = entry.pointee.record
                let isPassive = record.isPassive
                if isPassive { passive += 1 }
                token.pointee =
                    isPassive ? 0 : completion?.issueToken(for: Self.owner(of: record), isReserved: isReserved) ?? 0
                arguments[parameter] = UnsafeMutableRawPointer(token)
                return true
            } take: { _, _ in
                true
            }
        }
    }

    /// The record of a lazy observer's instance refers to the registered placeholder, which has the owner.
    static func owner(of record: Observer) -> UInt64 { (record.placeholder ?? record).ownerId }

    private func runForReplies(_ passive: inout Int) -> Int {
        let hazard = calls.hazard
        hazard.pointee.gathering = completion?.id ?? 0
        hazard.pointee.is_reserved = isReserved
        defer {
            hazard.pointee.gathering = 0
            // A later call of the slot, which no gathering waits for, may abstain.
            hazard.pointee.answer = PEAL_ANSWER_GIVEN.rawValue
        }
        return calls.run { _, _ in
            false
        } take: { entry, result in
            let record = entry.pointee.record
            if record.isPassive {
                passive += 1
            } else if hazard.pointee.answer == PEAL_ANSWER_GIVEN.rawValue {
                completion?.reply(
                    from: record.pointee.id, result, size: calls.plan.pointee.resultSize, isReserved: isReserved)
            } else if hazard.pointee.answer == PEAL_ANSWER_NONE.rawValue {
                completion?.countUnanswered(isReserved: isReserved)
            }
            return true
        }
    }
}

extension Broadcast.List {
    /// The number of observers that a broadcast calls now, here and on queues.
    func tokenCount(besides excepted: UInt64) -> Int {
        let queued =
            hasGroups ? groups.reduce(0) { $0 + $1.answering(Int(peal_group_count($1)), besides: excepted) } : 0
        let entries = UnsafeBufferPointer(start: peal_snapshot_entries(self), count: Int(peal_snapshot_count(self)))
        let closed = ObserverGate.removed | ObserverGate.blocks
        return queued
            + entries.count {
                let gate = peal_gate_load($0.gate)
                return gate & closed == 0 && !ObserverGate.isLazy(gate) && $0.answers(besides: excepted)
            }
    }
}
