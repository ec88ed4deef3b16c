internal import CPealSupport
import PealCall

/// The target of thunks whose call has integers only, which stay in registers. The fast paths are first: a plain
/// broadcast to observers that are simply called. They allocate nothing and take no lock.
extension ProxyCall {
    typealias NoIntegers = @convention(c) (UnsafeMutableRawPointer?) -> Void
    typealias TwoIntegers = @convention(c) (UnsafeMutableRawPointer?, UInt64, UInt64) -> Void
    typealias FourIntegers = @convention(c) (UnsafeMutableRawPointer?, UInt64, UInt64, UInt64, UInt64) -> Void
    typealias FourIntegersOne = @convention(c) (UnsafeMutableRawPointer?, UInt64, UInt64, UInt64, UInt64) -> UInt64

    /// Up to four integers, in registers all the way. Integers that the method does not have are passed on too, and
    /// never read.
    @inline(never)
    @_optimize(speed)
    static func integers(
        _ number: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ index: UInt64
    ) -> UInt64 {
        guard let place = peal_proxy_find(number), let cell = peal_proxy_cell_at(place, index) else {
            return integersSlowly(number, a, b, c, d, index, nil)
        }
        let method = peal_proxy_cell_broadcast(cell)
        guard peal_proxy_is_of(place, number), let hold = peal_hazard_outermost() else {
            return integersSlowly(number, a, b, c, d, index, nil)
        }
        guard method != 0 else { return integersToTarget(number, a, b, c, d, index, hold, place) }
        guard let methodPlace = peal_directory_find(method) else {
            return integersSlowly(number, a, b, c, d, index, nil)
        }
        let list = Broadcast.List(peal_hazard_protect_fast(hold, methodPlace, UInt(PEAL_HAZARD_OF_LIBRARY)))
        let traits = MethodTraits(rawValue: peal_snapshot_traits(list))
        guard peal_snapshot_method(list) == method, traits.isPlainWithoutResult else {
            return integersWithResult(number, a, b, c, d, index, hold, method)
        }
        // Most methods need no more than the registers that a loop may use.
        guard traits.takesFewIntegers else { return fourIntegers(hold, list, a, b, c, d) }
        let entries = peal_snapshot_entries(list)
        let count = Int(peal_snapshot_count(list))
        if traits.takesNothing {
            _ = FrameReplay.each(entries, count, hold) { unsafeBitCast($0, to: NoIntegers.self)($1) }
        } else {
            let (a, b) = (peal_thunk_word(a), peal_thunk_word(b))
            _ = FrameReplay.each(entries, count, hold) { unsafeBitCast($0, to: TwoIntegers.self)($1, a, b) }
        }
        Broadcast.release(hold)
        return 0
    }

    /// A separate function, so that its arguments take no registers from the loops above.
    @inline(never)
    @_optimize(speed)
    private static func fourIntegers(
        _ hold: Broadcast.Hold, _ list: Broadcast.List, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64
    ) -> UInt64 {
        _ = FrameReplay.each(peal_snapshot_entries(list), Int(peal_snapshot_count(list)), hold) {
            unsafeBitCast($0, to: FourIntegers.self)($1, a, b, c, d)
        }
        Broadcast.release(hold)
        return 0
    }

    /// The same if the method's policy examines results.
    @inline(never)
    @_optimize(speed)
    private static func integersWithResult(
        _ number: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ index: UInt64,
        _ hold: Broadcast.Hold, _ method: UInt64
    ) -> UInt64 {
        let list = Broadcast.list(hold)
        guard let policy = simplePolicy(of: list, method) else {
            return integersSlowly(number, a, b, c, d, index, hold)
        }
        var frame = peal_register_frame_room()
        let folded = withUnsafeMutablePointer(to: &frame) { frame in
            let words = UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UInt64.self)
            (words[1], words[2], words[3], words[4]) = (a, b, c, d)
            return fold(policy, hold, list, words)
        }
        guard let folded else { return integersSlowly(number, a, b, c, d, index, hold) }
        Broadcast.release(hold)
        return folded.words.0
    }

    /// - Parameter hold: The slot of the method's list, if that is already protected.
    @inline(never)
    static func integersSlowly(
        _ number: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ index: UInt64,
        _ hold: Broadcast.Hold?
    ) -> UInt64 {
        guard let call = find(number, index) else {
            if let hold { Broadcast.release(hold) }
            return fail(.staleSelf)
        }
        var frame = peal_register_frame_room()
        // Two words: a call with a frame may write both.
        var result = (UInt64(0), UInt64(0))
        withUnsafeMutablePointer(to: &frame) { frame in
            let words = UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UInt64.self)
            (words[1], words[2], words[3], words[4]) = (a, b, c, d)
            withUnsafeMutablePointer(to: &result) { call.run(.words(words, call.plan), hold: hold, result: $0) }
        }
        return result.0
    }
}
