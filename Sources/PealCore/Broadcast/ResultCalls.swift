internal import CPealSupport
import PealCall

/// Calls observers one after another, for callers that examine each result or change an argument from call to call.
struct ResultCalls {
    typealias Slots = UnsafeMutablePointer<UnsafeMutableRawPointer?>
    typealias Entry = UnsafePointer<SnapshotEntry>

    let plan: CallPlan.Pointer
    let entries: Entry
    let count: Int
    let hazard: Broadcast.Hazard
    /// One pointer for each parameter. The caller's own array is not changed.
    let arguments: Broadcast.Arguments?
    var forcesFFI = false
    /// The registration that is not called; 0: none.
    var excepted: UInt64 = 0
    /// The broadcast as taps see it; nil: none does.
    var tapped: UnsafeMutablePointer<peal_tapped>?

    /// - Parameters:
    ///   - prepare: Runs before a call. It may replace the pointer of an argument, and then returns true.
    ///   - take: Receives the result. Returns false to stop.
    /// - Returns: The number of called observers.
    func run(prepare: (Entry, Slots) -> Bool, take: (Entry, UnsafeMutableRawPointer) -> Bool) -> Int {
        let room = max(CallPlan.smallResultSize, plan.pointee.resultSize)
        return withUnsafeTemporaryAllocation(byteCount: room, alignment: 16) { result in
            withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: CallPlan.slotCount) { own in
                let own = own.baseAddress.unsafelyUnwrapped
                if plan.pointee.parameterCount > 0, let arguments {
                    own.update(from: arguments, count: plan.pointee.parameterCount)
                }
                let result = result.baseAddress.unsafelyUnwrapped
                if let frame = plan.pointee.frame, !forcesFFI { return runWithFrame(frame, own, result, prepare, take) }
                return runThroughFFI(own, result, prepare, take)
            }
        }
    }

    private func runWithFrame(
        _ shape: FrameShape, _ arguments: Slots, _ result: UnsafeMutableRawPointer,
        _ prepare: (Entry, Slots) -> Bool, _ take: (Entry, UnsafeMutableRawPointer) -> Bool
    ) -> Int {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Int(PEAL_FRAME_WORDS)) { frame in
            let words = frame.baseAddress.unsafelyUnwrapped
            _ = CallPlan.buildFrame(plan, from: arguments, into: words)
            return eachEntry { entry in
                if prepare(entry, arguments) { _ = CallPlan.buildFrame(plan, from: arguments, into: words) }
                begin(entry)
                CallPlan.callWithFrame(
                    plan, shape: shape, function: entry.pointee.function, target: entry.pointee.target,
                    words: words, result: result)
                end(entry, result)
                return take(entry, result)
            }
        }
    }

    private func runThroughFFI(
        _ arguments: Slots, _ result: UnsafeMutableRawPointer,
        _ prepare: (Entry, Slots) -> Bool, _ take: (Entry, UnsafeMutableRawPointer) -> Bool
    ) -> Int {
        withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: CallPlan.slotCount) { memory in
            let slots = memory.baseAddress.unsafelyUnwrapped
            CallPlan.fillSlots(plan, from: arguments, into: slots)
            return eachEntry { entry in
                if prepare(entry, arguments) { CallPlan.fillSlots(plan, from: arguments, into: slots) }
                slots[0] = peal_snapshot_entry_target(entry)
                begin(entry)
                CallPlan.callThroughFFI(
                    plan, function: entry.pointee.function, slots: slots, arguments: arguments, result: result)
                end(entry, result)
                return take(entry, result)
            }
        }
    }

    @inline(__always)
    private func eachEntry(_ call: (Entry) -> Bool) -> Int {
        guard excepted != 0 else { return FrameReplay.eachEntry(entries, count, hazard, call) }
        return eachEntryBesides(call)
    }

    /// Calls the observers one by one. The excepted one is not tested: if it is a ONCE observer, it stays.
    private func eachEntryBesides(_ call: (Entry) -> Bool) -> Int {
        var called = 0
        var continues = true
        for index in 0..<count where continues && entries[index].record.pointee.id != excepted {
            called += FrameReplay.eachEntry(entries + index, 1, hazard) { entry in
                // The successor of a replaced observer.
                guard entry.pointee.record.pointee.id != excepted else {
                    called -= 1
                    return true
                }
                continues = call(entry)
                return continues
            }
        }
        return called
    }

    @inline(__always)
    private func begin(_ entry: Entry) {
        hazard.pointee.answer = PEAL_ANSWER_GIVEN.rawValue
        if let tapped { peal_tapped_begin_call(tapped, entry.pointee.gate) }
    }

    @inline(__always)
    private func end(_ entry: Entry, _ result: UnsafeMutableRawPointer) {
        guard let tapped else { return }
        peal_tapped_end_call(tapped, entry.pointee.gate, plan.pointee.resultKind == .void ? nil : result)
    }
}
