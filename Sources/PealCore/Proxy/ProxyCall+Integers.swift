internal import CPealSupport
import PealCall

/// The callees of thunks whose call has integers only, which stay in registers. The fast paths are first: a plain
/// broadcast to observers that are simply called. They allocate nothing and take no lock.
extension ProxyCall {
    typealias NoIntegers = @convention(c) (UnsafeMutableRawPointer?) -> Void
    typealias TwoIntegers = @convention(c) (UnsafeMutableRawPointer?, UInt64, UInt64) -> Void
    typealias FourIntegers = @convention(c) (UnsafeMutableRawPointer?, UInt64, UInt64, UInt64, UInt64) -> Void
    typealias FourIntegersOne = @convention(c) (UnsafeMutableRawPointer?, UInt64, UInt64, UInt64, UInt64) -> UInt64

    /// Up to four integers, in registers all the way. Registers that the method does not use are passed on too, and
    /// never read.
    @inline(never)
    @_optimize(speed)
    static func integers(
        _ id: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ index: UInt64
    ) -> UInt64 {
        guard let element = peal_proxy_find(id), let cell = peal_proxy_cell_at(element, index) else {
            return integersSlow(id, a, b, c, d, index, nil)
        }
        let method = peal_proxy_cell_broadcast(cell)
        guard peal_proxy_is_of(element, id), let hazard = peal_hazard_outermost() else {
            return integersSlow(id, a, b, c, d, index, nil)
        }
        guard method != 0 else { return integersToTarget(id, a, b, c, d, index, hazard, element) }
        guard let methodElement = peal_directory_find(method) else {
            return integersSlow(id, a, b, c, d, index, nil)
        }
        let list = Broadcast.List(peal_hazard_protect_fast(hazard, methodElement, UInt(PEAL_HAZARD_OF_LIBRARY)))
        let traits = MethodTraits(rawValue: peal_snapshot_traits(list))
        guard peal_snapshot_method(list) == method, traits.isFastPathEligibleWithoutResult else {
            return integersWithResult(id, a, b, c, d, index, hazard, method)
        }
        // Most methods need no more than the registers that a loop may use.
        guard traits.takesFewIntegers else { return fourIntegers(hazard, list, a, b, c, d) }
        let entries = peal_snapshot_entries(list)
        let count = Int(peal_snapshot_count(list))
        if traits.takesNothing {
            _ = FrameReplay.each(entries, count, hazard) { unsafeBitCast($0, to: NoIntegers.self)($1) }
        } else {
            let (a, b) = (peal_thunk_word(a), peal_thunk_word(b))
            _ = FrameReplay.each(entries, count, hazard) { unsafeBitCast($0, to: TwoIntegers.self)($1, a, b) }
        }
        Broadcast.release(hazard)
        return 0
    }

    /// A separate function, so that its arguments take no registers from the loops above.
    @inline(never)
    @_optimize(speed)
    private static func fourIntegers(
        _ hazard: Broadcast.Hazard, _ list: Broadcast.List, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64
    ) -> UInt64 {
        _ = FrameReplay.each(peal_snapshot_entries(list), Int(peal_snapshot_count(list)), hazard) {
            unsafeBitCast($0, to: FourIntegers.self)($1, a, b, c, d)
        }
        Broadcast.release(hazard)
        return 0
    }

    /// Broadcasts the integers if the method's policy examines results.
    @inline(never)
    @_optimize(speed)
    private static func integersWithResult(
        _ id: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ index: UInt64,
        _ hazard: Broadcast.Hazard, _ method: UInt64
    ) -> UInt64 {
        let list = Broadcast.list(hazard)
        guard let policy = simplePolicy(of: list, method) else {
            return integersSlow(id, a, b, c, d, index, hazard)
        }
        var frame = peal_register_frame_room()
        let folded = withUnsafeMutablePointer(to: &frame) { frame in
            let words = UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UInt64.self)
            (words[1], words[2], words[3], words[4]) = (a, b, c, d)
            return fold(policy, hazard, list, words)
        }
        guard let folded else { return integersSlow(id, a, b, c, d, index, hazard) }
        Broadcast.release(hazard)
        return folded.words.0
    }

    /// - Parameter hazard: The slot of the method's list, if that is already protected.
    @inline(never)
    static func integersSlow(
        _ id: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ index: UInt64,
        _ hazard: Broadcast.Hazard?
    ) -> UInt64 {
        guard let call = find(id, index) else {
            if let hazard { Broadcast.release(hazard) }
            return fail(.staleSelf)
        }
        var frame = peal_register_frame_room()
        // Two words: a call with a frame may write both.
        var result = (UInt64(0), UInt64(0))
        withUnsafeMutablePointer(to: &frame) { frame in
            let words = UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UInt64.self)
            (words[1], words[2], words[3], words[4]) = (a, b, c, d)
            withUnsafeMutablePointer(to: &result) { call.run(.words(words, call.plan), hazard: hazard, result: $0) }
        }
        return result.0
    }
}
