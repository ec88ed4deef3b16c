public import CPealSupport
public import PealCall

/// Loops over a protected list. Each returns false when an argument is null: then no observer was called, and the list is
/// still protected.
extension Broadcast {
    /// A frame carries at least one argument: a method without any has zero integers.
    @inlinable
    @inline(__always)
    static func replayInRegisters(
        _ hold: Hold, _ snapshot: List, _ arguments: Arguments?, _ calls: UnsafeMutablePointer<Int>?
    ) -> Bool {
        var frame = peal_register_frame_room()
        return withUnsafeMutablePointer(to: &frame) { frame in
            let words = UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UInt64.self)
            guard let shape = build(words, from: arguments, for: snapshot) else { return false }
            let called = FrameReplay.withRegisters(
                shape, words, to: peal_snapshot_entries(snapshot), count: Int(peal_snapshot_count(snapshot)), hold)
            if let calls { calls.pointee = called }
            release(hold)
            return true
        }
    }

    @inlinable
    @inline(__always)
    static func replayOnStack(
        _ hold: Hold, _ snapshot: List, _ arguments: Arguments?, _ calls: UnsafeMutablePointer<Int>?
    ) -> Bool {
        var frame = peal_whole_frame_room()
        return withUnsafeMutablePointer(to: &frame) { frame in
            let words = UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UInt64.self)
            guard let shape = build(words, from: arguments, for: snapshot) else { return false }
            let called = FrameReplay.withStack(
                shape, words, to: peal_snapshot_entries(snapshot), count: Int(peal_snapshot_count(snapshot)), hold)
            if let calls { calls.pointee = called }
            release(hold)
            return true
        }
    }

    @usableFromInline
    static func replayThroughFFI(
        _ hold: Hold, _ snapshot: List, _ arguments: Arguments?, _ calls: UnsafeMutablePointer<Int>?
    ) -> Bool {
        let called = FFIReplay.each(
            peal_snapshot_plan(snapshot).assumingMemoryBound(to: CallPlan.self), arguments,
            to: peal_snapshot_entries(snapshot), count: Int(peal_snapshot_count(snapshot)), hold)
        guard let called else { return false }
        if let calls { calls.pointee = called }
        release(hold)
        return true
    }

    /// Fills a frame, once a broadcast.
    ///
    /// - Returns: The frame's shape, or nil when an argument is null.
    @inlinable
    @inline(__always)
    static func build(
        _ words: UnsafeMutablePointer<UInt64>, from arguments: Arguments?, for snapshot: List
    ) -> FrameShape? {
        let plan = peal_snapshot_plan(snapshot).assumingMemoryBound(to: CallPlan.self)
        guard let arguments, CallPlan.buildFrame(plan, from: arguments, into: words) else { return nil }
        return MethodTraits(rawValue: peal_snapshot_traits(snapshot)).plainFrame
    }
}
