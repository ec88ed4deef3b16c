internal import CPealSupport
import PealCall

/// A broadcast that taps see and that needs nothing else of the general path: a method without a result, whose
/// observers are called at once by a register frame. The caller's arguments are not copied but for that frame.
enum TappedBroadcast {
    /// Makes the broadcast to a protected list, and releases the list.
    ///
    /// - Returns: False where the general path is needed; then no observer was called, no tap has seen the broadcast,
    ///   and the list is still protected.
    @inline(never)
    @_optimize(speed)
    static func send(
        _ hazard: Broadcast.Hazard, _ arguments: Broadcast.Arguments?, _ calls: UnsafeMutablePointer<Int>?, _ id: UInt64
    ) -> Bool {
        let list = Broadcast.list(hazard)
        let plan = peal_snapshot_plan(list).assumingMemoryBound(to: CallPlan.self)
        // Taps get results, so a method with a result takes the general path.
        guard let shape = plan.pointee.frame, plan.pointee.resultKind == .void, !list.hasGroups else { return false }
        var frame = peal_whole_frame_room()
        let called = withUnsafeMutablePointer(to: &frame) { frame -> Int? in
            let words = UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UInt64.self)
            if plan.pointee.parameterCount > 0 {
                guard let arguments, CallPlan.buildFrame(plan, from: arguments, into: words) else { return nil }
            }
            return call(list, shape, words, hazard, arguments, id)
        }
        guard let called else { return false }
        if let calls { calls.pointee = called }
        Broadcast.release(hazard)
        return true
    }

    @inline(__always)
    private static func call(
        _ list: Broadcast.List, _ shape: FrameShape, _ words: UnsafePointer<UInt64>, _ hazard: Broadcast.Hazard,
        _ arguments: Broadcast.Arguments?, _ id: UInt64
    ) -> Int {
        var tapped = peal_tapped()
        var sending = peal_sending()
        return withUnsafeMutablePointer(to: &tapped) { tapped in
            peal_tapped_begin(tapped, id, arguments)
            let number = tapped.pointee.broadcast
            sending.broadcast = number != 0 ? number : peal_broadcast_number()
            return withUnsafePointer(to: &sending) { sending in
                peal_hazard_set_sending(hazard, sending)
                let called = FrameReplay.eachEntry(
                    peal_snapshot_entries(list), Int(peal_snapshot_count(list)), hazard
                ) { entry in
                    hazard.pointee.answer = PEAL_ANSWER_GIVEN.rawValue
                    peal_tapped_begin_call(tapped, entry.pointee.gate)
                    shape.call(entry.pointee.function, target: entry.pointee.target, words: words)
                    peal_tapped_end_call(tapped, entry.pointee.gate, nil)
                    return true
                }
                peal_hazard_set_sending(hazard, nil)
                peal_tapped_end(tapped, called, Broadcast.Outcome.done.rawValue, nil)
                return called
            }
        }
    }
}
