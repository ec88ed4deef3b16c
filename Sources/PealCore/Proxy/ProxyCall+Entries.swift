internal import CPealSupport
import PealCall

/// What the functions of tables call. The short ways come first: a plain broadcast to observers that are
/// simply called. Nothing on them allocates or takes a lock.
extension ProxyCall {
    typealias TwoIntegers = @convention(c) (UnsafeMutableRawPointer?, UInt64, UInt64) -> Void
    typealias FourIntegers = @convention(c) (UnsafeMutableRawPointer?, UInt64, UInt64, UInt64, UInt64) -> Void
    typealias Numbers = @convention(c) (UnsafeMutableRawPointer?, UInt64, UInt64, UInt64, UInt64, Double, Double) -> Void
    typealias FourIntegersOne = @convention(c) (UnsafeMutableRawPointer?, UInt64, UInt64, UInt64, UInt64) -> UInt64

    /// Up to four integers, in registers all the way. Those that the method does not have are passed on
    /// too: nobody looks at them.
    static func integers(
        _ number: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ index: UInt64
    ) -> UInt64 {
        guard let place = peal_proxy_find(number), let cell = peal_proxy_cell_at(place, index) else {
            return integersSlowly(number, a, b, c, d, index, nil)
        }
        let method = peal_proxy_cell_broadcast(cell)
        guard peal_proxy_is_of(place, number), let hold = peal_hold_outermost() else {
            return integersSlowly(number, a, b, c, d, index, nil)
        }
        guard method != 0 else { return integersToTarget(number, a, b, c, d, index, hold, place) }
        guard let methodPlace = peal_directory_find(method) else { return integersSlowly(number, a, b, c, d, index, nil) }
        let list = Broadcast.List(peal_hold_shortly(hold, methodPlace, UInt(PEAL_HOLD_OF_LIBRARY)))
        let traits = MethodTraits(rawValue: peal_snapshot_traits(list))
        guard peal_snapshot_method(list) == method, traits.isPlain else {
            return integersWithResult(number, a, b, c, d, index, hold, method)
        }
        let entries = peal_snapshot_entries(list)
        let (count, current) = (Int(peal_snapshot_count(list)), peal_hold_current(hold))
        // What most methods have needs no more than the registers that a loop may keep.
        if traits.takesFewIntegers {
            _ = FrameReplay.each(entries, count, current) { unsafeBitCast($0, to: TwoIntegers.self)($1, a, b) }
        } else {
            _ = FrameReplay.each(entries, count, current) { unsafeBitCast($0, to: FourIntegers.self)($1, a, b, c, d) }
        }
        Broadcast.release(hold)
        return 0
    }

    /// The same where the method's policy looks at results.
    @inline(never)
    private static func integersWithResult(
        _ number: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ index: UInt64,
        _ hold: Broadcast.Hold, _ method: UInt64
    ) -> UInt64 {
        let list = Broadcast.list(hold)
        guard looksAtResultsAlone(list, method) else { return integersSlowly(number, a, b, c, d, index, hold) }
        var results = (kept: UInt64(0), last: UInt64(0))
        withUnsafeMutablePointer(to: &results) { results in
            let kept = UnsafeMutableRawPointer(results)
            let last = kept + MemoryLayout<UInt64>.stride
            var folder = folder(of: list, into: kept)
            let count = Int(peal_snapshot_count(list))
            let called = FrameReplay.eachEntry(peal_snapshot_entries(list), count, peal_hold_current(hold)) { entry in
                let function = unsafeBitCast(entry.pointee.function, to: FourIntegersOne.self)
                last.storeBytes(of: function(entry.pointee.target, a, b, c, d), as: UInt64.self)
                return folder.take(last)
            }
            folder.finish(calls: called)
        }
        Broadcast.release(hold)
        return results.kept
    }

    /// Whether observers are simply called, and each result stands for itself. Not so in a chain, nor for a
    /// list of another method.
    private static func looksAtResultsAlone(_ list: Broadcast.List, _ method: UInt64) -> Bool {
        let traits = MethodTraits(rawValue: peal_snapshot_traits(list))
        return peal_snapshot_method(list) == method && !traits.needsCloserLook && traits.policy != .chain
    }

    @inline(__always)
    private static func folder(of list: Broadcast.List, into result: UnsafeMutableRawPointer) -> ResultFolder {
        ResultFolder(
            policy: MethodTraits(rawValue: peal_snapshot_traits(list)).policy,
            plan: peal_snapshot_plan(list).assumingMemoryBound(to: CallPlan.self),
            request: BroadcastRequest(result: result), chained: nil)
    }

    /// - Parameter hold: The method's list, where it is held already.
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
        // Two words: what calls with a frame may write both.
        var result = (UInt64(0), UInt64(0))
        withUnsafeMutablePointer(to: &frame) { frame in
            let words = UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UInt64.self)
            (words[1], words[2], words[3], words[4]) = (a, b, c, d)
            withUnsafeMutablePointer(to: &result) { call.run(.words(words), hold: hold, result: $0) }
        }
        return result.0
    }

    /// The same with up to two floats.
    static func numbers(
        _ number: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ index: UInt64, _ x: Double, _ y: Double
    ) -> UInt64 {
        guard let place = peal_proxy_find(number), let cell = peal_proxy_cell_at(place, index) else {
            return numbersSlowly(number, a, b, c, d, index, x, y, nil, 0)
        }
        let method = peal_proxy_cell_broadcast(cell)
        guard peal_proxy_is_of(place, number), method != 0, let methodPlace = peal_directory_find(method),
            let hold = peal_hold_outermost()
        else { return numbersSlowly(number, a, b, c, d, index, x, y, nil, 0) }
        let list = Broadcast.List(peal_hold_shortly(hold, methodPlace, UInt(PEAL_HOLD_OF_LIBRARY)))
        guard peal_snapshot_method(list) == method, MethodTraits(rawValue: peal_snapshot_traits(list)).isPlain else {
            return numbersSlowly(number, a, b, c, d, index, x, y, hold, method)
        }
        let entries = peal_snapshot_entries(list)
        _ = FrameReplay.each(entries, Int(peal_snapshot_count(list)), peal_hold_current(hold)) {
            unsafeBitCast($0, to: Numbers.self)($1, a, b, c, d, x, y)
        }
        Broadcast.release(hold)
        return 0
    }

    /// As a frame.
    ///
    /// - Parameter hold: The method's list, where it is held already.
    @inline(never)
    private static func numbersSlowly(
        _ number: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ index: UInt64, _ x: Double, _ y: Double,
        _ hold: Broadcast.Hold?, _ method: UInt64
    ) -> UInt64 {
        var frame = peal_whole_frame_room()
        var result = peal_entry_result()
        withUnsafeMutablePointer(to: &frame) { frame in
            let words = UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UInt64.self)
            (words[0], words[1], words[2], words[3], words[4]) = (number, a, b, c, d)
            let floats = Int(PEAL_FRAME_FIRST_FLOAT)
            (words[floats], words[floats + 1]) = (x.bitPattern, y.bitPattern)
            if let hold {
                _ = frameWithResult(words, UInt32(index), hold, &result, method)
            } else {
                _ = frameSlowly(words, UInt32(index), nil, &result)
            }
        }
        return result.integers.0
    }

    /// Any other frame.
    ///
    /// - Returns: Whether there is a result.
    static func frame(
        _ words: UnsafeMutablePointer<UInt64>, _ index: UInt32, _ stack: UnsafePointer<UInt64>,
        _ result: UnsafeMutablePointer<peal_entry_result>
    ) -> Bool {
        guard let place = peal_proxy_find(words[0]), let cell = peal_proxy_cell_at(place, UInt64(index)),
            let plan = peal_proxy_cell_plan(cell)?.assumingMemoryBound(to: CallPlan.self),
            let shape = plan.pointee.frame
        else { return fail(.staleSelf) }
        let method = peal_proxy_cell_broadcast(cell)
        if shape.usesStack { copyStack(stack, to: words + Int(PEAL_FRAME_FIRST_STACK), shape) }
        guard peal_proxy_is_of(place, words[0]), method != 0, let methodPlace = peal_directory_find(method),
            let hold = peal_hold_outermost()
        else { return frameSlowly(words, index, nil, result) }
        let list = Broadcast.List(peal_hold_shortly(hold, methodPlace, UInt(PEAL_HOLD_OF_LIBRARY)))
        guard peal_snapshot_method(list) == method, MethodTraits(rawValue: peal_snapshot_traits(list)).isPlain else {
            return frameWithResult(words, index, hold, result, method)
        }
        let (entries, count) = (peal_snapshot_entries(list), Int(peal_snapshot_count(list)))
        if shape.usesStack {
            _ = FrameReplay.withStack(shape, words, to: entries, count: count, peal_hold_current(hold))
        } else {
            _ = FrameReplay.withRegisters(shape, words, to: entries, count: count, peal_hold_current(hold))
        }
        Broadcast.release(hold)
        return false
    }

    @inline(__always)
    private static func copyStack(
        _ stack: UnsafePointer<UInt64>, to words: UnsafeMutablePointer<UInt64>, _ shape: FrameShape
    ) {
        // Less than what a call to copy them costs.
        if shape.usesLittleStack {
            (words[0], words[1], words[2], words[3]) = (stack[0], stack[1], stack[2], stack[3])
        } else {
            words.update(from: stack, count: Int(PEAL_FRAME_STACK))
        }
    }

    /// The same where the method's policy looks at results.
    @inline(never)
    private static func frameWithResult(
        _ words: UnsafeMutablePointer<UInt64>, _ index: UInt32, _ hold: Broadcast.Hold,
        _ result: UnsafeMutablePointer<peal_entry_result>, _ method: UInt64
    ) -> Bool {
        let list = Broadcast.list(hold)
        guard looksAtResultsAlone(list, method) else { return frameSlowly(words, index, hold, result) }
        let plan = peal_snapshot_plan(list).assumingMemoryBound(to: CallPlan.self)
        guard let shape = plan.pointee.frame else { return frameSlowly(words, index, hold, result) }
        var results = (kept: (UInt64(0), UInt64(0)), last: (UInt64(0), UInt64(0)))
        withUnsafeMutablePointer(to: &results) { results in
            let kept = UnsafeMutableRawPointer(results)
            let last = kept + 2 * MemoryLayout<UInt64>.stride
            var folder = folder(of: list, into: kept)
            let count = Int(peal_snapshot_count(list))
            let called = FrameReplay.eachEntry(peal_snapshot_entries(list), count, peal_hold_current(hold)) { entry in
                CallPlan.callWithFrame(
                    plan, shape: shape, function: entry.pointee.function, target: entry.pointee.target,
                    words: words, result: last)
                return folder.take(last)
            }
            folder.finish(calls: called)
            result.initialize(to: peal_entry_result(kept, in: plan.pointee.resultPlace))
        }
        Broadcast.release(hold)
        return true
    }

    /// - Parameter hold: The method's list, where it is held already.
    @inline(never)
    private static func frameSlowly(
        _ words: UnsafeMutablePointer<UInt64>, _ index: UInt32, _ hold: Broadcast.Hold?,
        _ result: UnsafeMutablePointer<peal_entry_result>
    ) -> Bool {
        guard let call = find(words[0], UInt64(index)) else {
            if let hold { Broadcast.release(hold) }
            return fail(.staleSelf)
        }
        var room = (UInt64(0), UInt64(0))
        withUnsafeMutablePointer(to: &room) { room in
            call.run(.words(words), hold: hold, result: room)
            result.initialize(to: peal_entry_result(room, in: call.plan.pointee.resultPlace))
        }
        return true
    }

    /// A call of a closure, for shapes that have no frame.
    static func arguments(
        first: UnsafeMutableRawPointer?, _ index: Int, _ arguments: Broadcast.Arguments, _ result: UnsafeMutableRawPointer
    ) {
        self.arguments(UInt64(UInt(bitPattern: first)), index, arguments, result)
    }

    static func arguments(
        _ number: UInt64, _ index: Int, _ arguments: Broadcast.Arguments, _ result: UnsafeMutableRawPointer
    ) {
        guard let call = find(number, UInt64(index)) else { return fail(.staleSelf) }
        call.run(.arguments(arguments), result: result)
    }

    private static func fail(_ failure: Failure) { ProxyFailures.note(failure) }
    private static func fail(_ failure: Failure) -> Bool {
        ProxyFailures.note(failure)
        return false
    }
    private static func fail(_ failure: Failure) -> UInt64 {
        ProxyFailures.note(failure)
        return 0
    }
}

extension peal_entry_result {
    /// A result as its registers: `halves` are its two words.
    fileprivate init(_ halves: UnsafeRawPointer, in place: ResultPlace) {
        self.init()
        let integers = (halves.load(as: UInt64.self), halves.load(fromByteOffset: 8, as: UInt64.self))
        let floats = (halves.load(as: Double.self), halves.load(fromByteOffset: 8, as: Double.self))
        switch place {
        case .none, .elsewhere: break
        case .integer: self.integers.0 = integers.0
        case .float: self.floats.0 = floats.0
        case .integers: self.integers = integers
        case .floats: self.floats = floats
        case .integerFloat: (self.integers.0, self.floats.0) = (integers.0, floats.1)
        case .floatInteger: (self.floats.0, self.integers.0) = (floats.0, integers.1)
        }
    }
}
