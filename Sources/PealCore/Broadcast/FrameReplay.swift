public import CPealSupport
public import PealCall

/// Replays a register frame to every observer: the hand-written loop, one for each shape.
@usableFromInline
enum FrameReplay {
    /// Replays frames whose shapes have no stack words.
    ///
    /// - Returns: The number of called observers.
    @inlinable
    @inline(__always)
    static func withRegisters(
        _ shape: FrameShape, _ w: UnsafePointer<UInt64>, to entries: UnsafePointer<peal_entry>, count: Int,
        _ hazard: Broadcast.Hazard
    ) -> Int {
        // One switch for each broadcast instead of each observer.
        switch shape.rawValue {
        case 0: each(entries, count, hazard) { _ = peal_frame_i_1_0_0($0, $1, w) }
        case 1: each(entries, count, hazard) { _ = peal_frame_i_2_0_0($0, $1, w) }
        case 2: each(entries, count, hazard) { _ = peal_frame_i_3_0_0($0, $1, w) }
        case 3: each(entries, count, hazard) { _ = peal_frame_i_4_0_0($0, $1, w) }
        case 4: each(entries, count, hazard) { _ = peal_frame_i_5_0_0($0, $1, w) }
        case 5: each(entries, count, hazard) { _ = peal_frame_i_all_0_0($0, $1, w) }
        case 6: each(entries, count, hazard) { _ = peal_frame_i_1_2_0($0, $1, w) }
        case 7: each(entries, count, hazard) { _ = peal_frame_i_2_2_0($0, $1, w) }
        case 8: each(entries, count, hazard) { _ = peal_frame_i_3_2_0($0, $1, w) }
        case 9: each(entries, count, hazard) { _ = peal_frame_i_4_2_0($0, $1, w) }
        case 10: each(entries, count, hazard) { _ = peal_frame_i_5_2_0($0, $1, w) }
        case 11: each(entries, count, hazard) { _ = peal_frame_i_all_2_0($0, $1, w) }
        case 12: each(entries, count, hazard) { _ = peal_frame_i_1_8_0($0, $1, w) }
        case 13: each(entries, count, hazard) { _ = peal_frame_i_2_8_0($0, $1, w) }
        case 14: each(entries, count, hazard) { _ = peal_frame_i_3_8_0($0, $1, w) }
        case 15: each(entries, count, hazard) { _ = peal_frame_i_4_8_0($0, $1, w) }
        case 16: each(entries, count, hazard) { _ = peal_frame_i_5_8_0($0, $1, w) }
        default: each(entries, count, hazard) { _ = peal_frame_i_all_8_0($0, $1, w) }
        }
    }

    /// Replays frames whose shapes have stack words.
    @inlinable
    @inline(__always)
    static func withStack(
        _ shape: FrameShape, _ w: UnsafePointer<UInt64>, to entries: UnsafePointer<peal_entry>, count: Int,
        _ hazard: Broadcast.Hazard
    ) -> Int {
        switch shape.rawValue {
        case 18: each(entries, count, hazard) { _ = peal_frame_i_all_0_1($0, $1, w) }
        case 19: each(entries, count, hazard) { _ = peal_frame_i_all_0_2($0, $1, w) }
        case 20: each(entries, count, hazard) { _ = peal_frame_i_all_0_3($0, $1, w) }
        case 21: each(entries, count, hazard) { _ = peal_frame_i_all_0_4($0, $1, w) }
        case 22: each(entries, count, hazard) { _ = peal_frame_i_all_0_6($0, $1, w) }
        case 23: each(entries, count, hazard) { _ = peal_frame_i_all_0_8($0, $1, w) }
        case 24: each(entries, count, hazard) { _ = peal_frame_i_all_0_12($0, $1, w) }
        case 25: each(entries, count, hazard) { _ = peal_frame_i_all_0_16($0, $1, w) }
        case 26: each(entries, count, hazard) { _ = peal_frame_i_all_8_1($0, $1, w) }
        case 27: each(entries, count, hazard) { _ = peal_frame_i_all_8_2($0, $1, w) }
        case 28: each(entries, count, hazard) { _ = peal_frame_i_all_8_3($0, $1, w) }
        case 29: each(entries, count, hazard) { _ = peal_frame_i_all_8_4($0, $1, w) }
        case 30: each(entries, count, hazard) { _ = peal_frame_i_all_8_6($0, $1, w) }
        case 31: each(entries, count, hazard) { _ = peal_frame_i_all_8_8($0, $1, w) }
        case 32: each(entries, count, hazard) { _ = peal_frame_i_all_8_12($0, $1, w) }
        default: each(entries, count, hazard) { _ = peal_frame_i_all_8_16($0, $1, w) }
        }
    }

    /// Calls each observer that may be called.
    ///
    /// - Returns: The number of called observers.
    @inlinable
    @inline(__always)
    static func each(
        _ entries: UnsafePointer<peal_entry>, _ count: Int, _ hazard: Broadcast.Hazard,
        _ call: (@escaping peal_frame_function, UnsafeMutableRawPointer?) -> Void
    ) -> Int {
        eachEntry(entries, count, hazard) { entry in
            call(entry.pointee.function, entry.pointee.target)
            return true
        }
    }

    /// Calls each observer that may be called, with its entry. The loop ends when `call` returns false.
    @inlinable
    @inline(__always)
    static func eachEntry(
        _ entries: UnsafePointer<peal_entry>, _ count: Int, _ hazard: Broadcast.Hazard,
        _ call: (UnsafePointer<peal_entry>) -> Bool
    ) -> Int {
        var entry = entries
        let end = entries + count
        var skipped = 0
        while entry != end {
            // The current call is stored before the gate is loaded: see thread.h.
            let gate = entry.pointee.gate
            peal_current_set(peal_hazard_current(hazard), gate)
            if _fastPath(peal_gate_load(gate) == 0) {
                guard call(entry) else { return position(of: entry, in: entries) &- skipped }
            } else if let admitted = admitInLoop(entry, hazard) {
                let continues = call(admitted)
                peal_hazard_release_weak(hazard)
                guard continues else { return position(of: entry, in: entries) &- skipped }
            } else {
                skipped &+= 1
            }
            entry += 1
        }
        return count &- skipped
    }

    /// The number of entries up to and including this one. A function of its own, since a division takes registers
    /// that the loops need.
    @usableFromInline
    @inline(never)
    static func position(of entry: UnsafePointer<peal_entry>, in entries: UnsafePointer<peal_entry>) -> Int {
        entry - entries + 1
    }
}

/// Returns the entry to call for an observer whose gate is not zero, if any. `peal_hazard_release_weak` must follow the
/// call. Loops would call a static function through another one, which drops the metatype.
@usableFromInline
@inline(never)
@_optimize(speed)
func admitInLoop(_ entry: UnsafePointer<peal_entry>, _ hazard: Broadcast.Hazard) -> UnsafePointer<peal_entry>? {
    ObserverGate.admitInLibrary(entry, hazard)
}
