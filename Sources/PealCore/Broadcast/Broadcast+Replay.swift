public import CPealSupport
public import PealCall

/// Loops over a protected list, which stays protected. Each returns the number of called observers, or nil if an
/// argument is null: then none was called.
extension Broadcast {
    /// A frame has at least one argument: a method without arguments is called with zero integers.
    @inlinable
    @inline(__always)
    static func replayInRegisters(
        _ hazard: Hazard, _ snapshot: List, _ arguments: Arguments?
    ) -> Int? {
        var frame = peal_register_frame_room()
        return withUnsafeMutablePointer(to: &frame) { frame in
            let words = UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UInt64.self)
            guard let shape = build(words, from: arguments, for: snapshot) else { return nil }
            return FrameReplay.withRegisters(
                shape, words, to: peal_snapshot_entries(snapshot), count: Int(peal_snapshot_count(snapshot)), hazard)
        }
    }

    @inlinable
    @inline(__always)
    static func replayOnStack(
        _ hazard: Hazard, _ snapshot: List, _ arguments: Arguments?
    ) -> Int? {
        var frame = peal_whole_frame_room()
        return withUnsafeMutablePointer(to: &frame) { frame in
            let words = UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UInt64.self)
            guard let shape = build(words, from: arguments, for: snapshot) else { return nil }
            return FrameReplay.withStack(
                shape, words, to: peal_snapshot_entries(snapshot), count: Int(peal_snapshot_count(snapshot)), hazard)
        }
    }

    @usableFromInline
    static func replayThroughFFI(
        _ hazard: Hazard, _ snapshot: List, _ arguments: Arguments?
    ) -> Int? {
        FFIReplay.each(
            peal_snapshot_plan(snapshot).assumingMemoryBound(to: CallPlan.self), arguments,
            to: peal_snapshot_entries(snapshot), count: Int(peal_snapshot_count(snapshot)), hazard)
    }

    /// Fills a frame, once for each broadcast.
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
