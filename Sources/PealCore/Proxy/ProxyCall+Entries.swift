internal import CPealSupport
import PealCall

/// What the functions of tables call. The short ways come first: a plain broadcast to observers that are
/// simply called. Nothing on them allocates or takes a lock.
extension ProxyCall {
    typealias FourIntegers = @convention(c) (UnsafeMutableRawPointer?, UInt64, UInt64, UInt64, UInt64) -> Void

    /// Up to four integers, in registers all the way. Those that the method does not have are passed on
    /// too: nobody looks at them.
    static func integers(
        _ number: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ index: UInt64
    ) -> UInt64 {
        guard let place = peal_proxy_find(number), let cell = peal_proxy_cell_at(place, index) else {
            return integersSlowly(number, a, b, c, d, index, nil)
        }
        let method = peal_proxy_cell_broadcast(cell)
        guard peal_proxy_is_of(place, number), method != 0, let methodPlace = peal_directory_find(method),
            let hold = peal_hold_outermost()
        else { return integersSlowly(number, a, b, c, d, index, nil) }
        let list = Broadcast.List(peal_hold_shortly(hold, methodPlace, UInt(PEAL_HOLD_OF_LIBRARY)))
        guard peal_snapshot_method(list) == method, MethodTraits(rawValue: peal_snapshot_traits(list)).isPlain else {
            return integersSlowly(number, a, b, c, d, index, hold)
        }
        let entries = peal_snapshot_entries(list)
        _ = FrameReplay.each(entries, Int(peal_snapshot_count(list)), peal_hold_current(hold)) {
            unsafeBitCast($0, to: FourIntegers.self)($1, a, b, c, d)
        }
        Broadcast.release(hold)
        return 0
    }

    /// - Parameter hold: The method's list, where it is held already.
    @inline(never)
    private static func integersSlowly(
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

    /// Any other frame.
    static func frame(
        _ words: UnsafeMutablePointer<UInt64>, _ index: UInt32, _ stack: UnsafePointer<UInt64>,
        _ result: UnsafeMutablePointer<peal_entry_result>
    ) {
        result.initialize(to: peal_entry_result())
        guard let call = find(words[0], UInt64(index)), let shape = call.plan.pointee.frame else {
            return fail(.staleSelf)
        }
        if shape.usesStack { (words + Int(PEAL_FRAME_FIRST_STACK)).update(from: stack, count: Int(PEAL_FRAME_STACK)) }
        guard call.broadcast != 0, let place = peal_directory_find(call.broadcast), let hold = peal_hold_outermost() else {
            return frameSlowly(call, words, nil, result)
        }
        let list = Broadcast.List(peal_hold_shortly(hold, place, UInt(PEAL_HOLD_OF_LIBRARY)))
        guard peal_snapshot_method(list) == call.broadcast, MethodTraits(rawValue: peal_snapshot_traits(list)).isPlain else {
            return frameSlowly(call, words, hold, result)
        }
        let (entries, count) = (peal_snapshot_entries(list), Int(peal_snapshot_count(list)))
        if shape.usesStack {
            _ = FrameReplay.withStack(shape, words, to: entries, count: count, peal_hold_current(hold))
        } else {
            _ = FrameReplay.withRegisters(shape, words, to: entries, count: count, peal_hold_current(hold))
        }
        Broadcast.release(hold)
    }

    @inline(never)
    private static func frameSlowly(
        _ call: ProxyCall, _ words: UnsafeMutablePointer<UInt64>, _ hold: Broadcast.Hold?,
        _ result: UnsafeMutablePointer<peal_entry_result>
    ) {
        var room = (UInt64(0), UInt64(0))
        withUnsafeMutablePointer(to: &room) { room in
            call.run(.words(words), hold: hold, result: room)
            let halves = UnsafeRawPointer(room)
            result.pointee = peal_entry_result(halves, in: call.plan.pointee.resultPlace)
        }
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
