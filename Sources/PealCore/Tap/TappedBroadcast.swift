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
            var tapped = peal_tapped()
            return withUnsafeMutablePointer(to: &tapped) { tapped in
                peal_tapped_begin(tapped, id, arguments)
                return call(list, shape, words, hazard, tapped)
            }
        }
        guard let called else { return false }
        if let calls { calls.pointee = called }
        Broadcast.release(hazard)
        return true
    }

    /// Makes the broadcast of a typed loop, whose arguments are in the registers of a frame.
    ///
    /// - Parameter loop: The list of the loop.
    /// - Returns: False where the general path is needed, or a tap has a function, which gets the arguments. Then no
    ///   observer was called, and no tap has seen the broadcast.
    @inline(never)
    @_optimize(speed)
    static func send(_ words: UnsafePointer<UInt64>, of loop: Broadcast.List) -> Bool {
        let id = peal_snapshot_method(loop)
        // If this fails, the general path fails too, and reports it.
        guard let hazard = try? Broadcast.protect(id, nil, 0) else { return false }
        defer { Broadcast.release(hazard) }
        let list = Broadcast.list(hazard)
        // The id is tested first: in another method's list nothing else has a meaning.
        guard peal_snapshot_method(list) == id,
            MethodTraits(rawValue: peal_snapshot_traits(list)).isTapFastPathEligible,
            !list.hasGroups
        else { return false }
        let plan = peal_snapshot_plan(list).assumingMemoryBound(to: CallPlan.self)
        guard let shape = plan.pointee.frame, !shape.usesStack, plan.pointee.resultKind == .void else { return false }
        var tapped = peal_tapped()
        return withUnsafeMutablePointer(to: &tapped) { tapped in
            guard peal_tapped_begin_without_arguments(tapped, id) else { return false }
            _ = call(list, shape, words, hazard, tapped)
            return true
        }
    }

    /// Makes the calls of a broadcast whose begin was reported, and reports its end.
    @inline(__always)
    private static func call(
        _ list: Broadcast.List, _ shape: FrameShape, _ words: UnsafePointer<UInt64>, _ hazard: Broadcast.Hazard,
        _ tapped: UnsafeMutablePointer<peal_tapped>
    ) -> Int {
        var sending = peal_sending()
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
