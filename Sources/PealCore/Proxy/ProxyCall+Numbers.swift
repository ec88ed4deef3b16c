internal import CPealSupport
import PealCall

/// The callees of thunks whose call has floating-point numbers too. As in calls with integers only, all arguments stay
/// in registers.
extension ProxyCall {
    private typealias Numbers =
        @convention(c) (UnsafeMutableRawPointer?, UInt64, UInt64, UInt64, UInt64, Double, Double) -> Void
    typealias NumbersOne =
        @convention(c) (UnsafeMutableRawPointer?, UInt64, UInt64, UInt64, UInt64, Double, Double) -> peal_thunk_number

    /// Up to four integers and two floating-point numbers.
    @inline(never)
    @_optimize(speed)
    static func numbers(
        _ id: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ index: UInt64, _ x: Double, _ y: Double
    ) -> peal_thunk_number {
        guard let element = peal_proxy_find(id), let cell = peal_proxy_cell_at(element, index) else {
            return numbersSlow(id, a, b, c, d, index, x, y, nil)
        }
        let method = peal_proxy_cell_broadcast(cell)
        guard peal_proxy_is_of(element, id), let hazard = peal_hazard_outermost() else {
            return numbersSlow(id, a, b, c, d, index, x, y, nil)
        }
        guard method != 0 else { return numbersToTarget(id, a, b, c, d, index, x, y, hazard, element) }
        guard let methodElement = peal_directory_find(method) else {
            return numbersSlow(id, a, b, c, d, index, x, y, nil)
        }
        let list = Broadcast.List(peal_hazard_protect_fast(hazard, methodElement, UInt(PEAL_HAZARD_OF_LIBRARY)))
        guard peal_snapshot_method(list) == method,
            MethodTraits(rawValue: peal_snapshot_traits(list)).isFastPathEligibleWithoutResult
        else {
            return numbersWithResult(id, a, b, c, d, index, x, y, hazard, method)
        }
        let entries = peal_snapshot_entries(list)
        _ = FrameReplay.each(entries, Int(peal_snapshot_count(list)), hazard) {
            unsafeBitCast($0, to: Numbers.self)($1, a, b, c, d, x, y)
        }
        Broadcast.release(hazard)
        return peal_thunk_number()
    }

    /// Broadcasts the numbers if the method's policy examines results.
    @inline(never)
    @_optimize(speed)
    private static func numbersWithResult(
        _ id: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ index: UInt64, _ x: Double, _ y: Double,
        _ hazard: Broadcast.Hazard, _ method: UInt64
    ) -> peal_thunk_number {
        let list = Broadcast.list(hazard)
        guard let policy = simplePolicy(of: list, method) else {
            return numbersSlow(id, a, b, c, d, index, x, y, hazard)
        }
        var frame = peal_register_frame_room()
        let folded = withUnsafeMutablePointer(to: &frame) { frame in
            let words = UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UInt64.self)
            (words[1], words[2], words[3], words[4]) = (a, b, c, d)
            let floats = Int(PEAL_FRAME_FIRST_FLOAT)
            (words[floats], words[floats + 1]) = (x.bitPattern, y.bitPattern)
            return fold(policy, hazard, list, words)
        }
        guard let folded else { return numbersSlow(id, a, b, c, d, index, x, y, hazard) }
        Broadcast.release(hazard)
        return peal_thunk_number(word: folded.words.0)
    }

    /// - Parameter hazard: The slot of the method's list, if that is already protected.
    @inline(never)
    static func numbersSlow(
        _ id: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ index: UInt64, _ x: Double, _ y: Double,
        _ hazard: Broadcast.Hazard?
    ) -> peal_thunk_number {
        var frame = peal_whole_frame_room()
        var result = peal_thunk_result()
        withUnsafeMutablePointer(to: &frame) { frame in
            let words = UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UInt64.self)
            (words[0], words[1], words[2], words[3], words[4]) = (id, a, b, c, d)
            let floats = Int(PEAL_FRAME_FIRST_FLOAT)
            (words[floats], words[floats + 1]) = (x.bitPattern, y.bitPattern)
            _ = frameSlow(words, UInt32(index), hazard, &result)
        }
        return peal_thunk_number(integer: result.integers.0, real: result.floats.0)
    }
}

extension peal_thunk_number {
    /// A result in both registers, so the caller finds it whatever its kind is.
    init(word: UInt64) { self.init(integer: word, real: Double(bitPattern: word)) }
}
