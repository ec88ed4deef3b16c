internal import CPealSupport
import PealCall

/// One result of many, where results travel in a register: what most methods that have results have. Nothing is
/// kept in memory, and no request is looked at.
enum ResultWords {
    /// Calls each observer, and makes one result.
    ///
    /// - Parameter call: The result as its register carries it.
    /// - Returns: nil where the policy needs more than words; then nobody was called.
    @inline(__always)
    static func fold(
        _ policy: BroadcastPolicy, _ plan: CallPlan.Pointer, _ list: Broadcast.List, _ hold: Broadcast.Hold,
        _ call: (UnsafePointer<peal_snapshot_entry>) -> UInt64
    ) -> (kept: UInt64, calls: Int)? {
        let kind = plan.pointee.resultKind
        var kept: UInt64 = 0
        if policy == .last {
            let calls = each(list, hold) { kept = call($0); return true }
            return (kept, calls)
        }
        if kind == .double, policy == .sum {
            // Nothing added to this changes, not even a zero's sign.
            var sum = -0.0
            let calls = each(list, hold) { sum += Double(bitPattern: call($0)); return true }
            return (calls == 0 ? 0 : sum.bitPattern, calls)
        }
        if policy == .sum || policy == .min || policy == .max {
            var taken = 0
            let calls = each(list, hold) {
                let word = call($0)
                kept = taken == 0 ? word : combine(policy, kind, kept, word)
                taken += 1
                return true
            }
            return (kept, calls)
        }
        guard kind != .double, kind != .float else { return nil }
        return foldTruth(policy, plan, list, hold, call)
    }

    /// Where it matters whether results are zero.
    @inline(__always)
    private static func foldTruth(
        _ policy: BroadcastPolicy, _ plan: CallPlan.Pointer, _ list: Broadcast.List, _ hold: Broadcast.Hold,
        _ call: (UnsafePointer<peal_snapshot_entry>) -> UInt64
    ) -> (kept: UInt64, calls: Int)? {
        // What lies above a short result means nothing.
        let mask = UInt64.max >> UInt64(truncatingIfNeeded: 64 &- 8 &* plan.pointee.resultSize)
        var kept: UInt64 = policy == .every ? 1 : 0
        let calls: Int
        switch policy {
        case .firstTrue, .firstNonzero: calls = each(list, hold) { kept = call($0) & mask; return kept == 0 }
        case .any: calls = each(list, hold) { if call($0) & mask != 0 { kept = 1 }; return true }
        case .every: calls = each(list, hold) { if call($0) & mask == 0 { kept = 0 }; return true }
        default: return nil
        }
        return (kept, calls)
    }

    @inline(__always)
    private static func each(
        _ list: Broadcast.List, _ hold: Broadcast.Hold, _ call: (UnsafePointer<peal_snapshot_entry>) -> Bool
    ) -> Int {
        FrameReplay.eachEntry(
            peal_snapshot_entries(list), Int(peal_snapshot_count(list)), hold, call)
    }

    @inline(never)
    private static func combine(
        _ policy: BroadcastPolicy, _ kind: ResultKind, _ kept: UInt64, _ word: UInt64
    ) -> UInt64 {
        var (kept, word) = (kept, word)
        switch policy {
        case .sum: kind.add(&word, to: &kept)
        case .min: if kind.isLess(&word, than: &kept) { kept = word }
        case .max: if kind.isLess(&kept, than: &word) { kept = word }
        default: break
        }
        return kept
    }

    /// Broadcasts by array.
    ///
    /// - Returns: nil where this is not the way; then nobody was called, and the list is still held.
    @_optimize(speed)
    static func send(
        _ hold: Broadcast.Hold, _ arguments: Broadcast.Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
        _ calls: UnsafeMutablePointer<Int>?, _ number: UInt64
    ) -> Broadcast.Outcome? {
        let list = Broadcast.list(hold)
        let traits = MethodTraits(rawValue: peal_snapshot_traits(list))
        // The number first: with another method's list nothing else means anything.
        guard peal_snapshot_method(list) == number, !traits.needsCloserLook, traits.policy != .all, let arguments,
            peal_snapshot_parameter_count(list) == count
        else { return nil }
        let plan = peal_snapshot_plan(list).assumingMemoryBound(to: CallPlan.self)
        guard let shape = plan.pointee.frame, !shape.usesStack else { return nil }
        var frame = peal_register_frame_room()
        let folded = withUnsafeMutablePointer(to: &frame) { frame -> (kept: UInt64, calls: Int)? in
            let words = UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UInt64.self)
            guard CallPlan.buildFrame(plan, from: arguments, into: words) else { return nil }
            return fold(traits.policy, plan, list, hold, words)
        }
        guard let folded else { return nil }
        store(folded.kept, plan.pointee.resultSize, in: result)
        if let calls { calls.pointee = folded.calls }
        Broadcast.release(hold)
        return .done
    }

    /// The same as ``fold(_:_:_:_:_:)`` for calls with a frame that is whole in registers.
    @inline(__always)
    static func fold(
        _ policy: BroadcastPolicy, _ plan: CallPlan.Pointer, _ list: Broadcast.List, _ hold: Broadcast.Hold,
        _ words: UnsafePointer<UInt64>
    ) -> (kept: UInt64, calls: Int)? {
        switch plan.pointee.resultPlace {
        case .integer: fold(policy, plan, list, hold) { peal_frame_i_all_8_0($0.pointee.function, $0.pointee.target, words) }
        case .float:
            fold(policy, plan, list, hold) {
                peal_frame_s_all_8_0($0.pointee.function, $0.pointee.target, words).bitPattern
            }
        default: nil
        }
    }

    @inline(__always)
    private static func store(_ word: UInt64, _ size: Int, in result: UnsafeMutableRawPointer?) {
        guard let result else { return }
        if size == MemoryLayout<UInt64>.size {
            result.storeBytes(of: word, as: UInt64.self)
        } else if size == MemoryLayout<UInt32>.size {
            result.storeBytes(of: UInt32(truncatingIfNeeded: word), as: UInt32.self)
        } else {
            withUnsafeBytes(of: word) { result.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: size) }
        }
    }
}
