internal import CPealSupport
import PealCall

/// The callees of thunks whose call is a frame in memory, and of closures.
extension ProxyCall {
    /// Makes a call whose arguments are in a frame.
    ///
    /// - Returns: True if there is a result.
    @inline(never)
    @_optimize(speed)
    static func frame(
        _ words: UnsafeMutablePointer<UInt64>, _ index: UInt32, _ stack: UnsafePointer<UInt64>,
        _ result: UnsafeMutablePointer<peal_thunk_result>
    ) -> Bool {
        guard let element = peal_proxy_find(words[0]), let cell = peal_proxy_cell_at(element, UInt64(index)),
            let plan = peal_proxy_cell_plan(cell)?.assumingMemoryBound(to: CallPlan.self),
            let shape = plan.pointee.frame
        else { return fail(.staleSelf) }
        let method = peal_proxy_cell_broadcast(cell)
        if shape.usesStack { copyStack(stack, to: words + Int(PEAL_FRAME_FIRST_STACK), plan.pointee.stackWords) }
        guard peal_proxy_is_of(element, words[0]), let hazard = peal_hazard_outermost() else {
            return frameSlow(words, index, nil, result)
        }
        guard method != 0 else { return frameToTarget(words, index, hazard, result, element, plan, shape) }
        guard let methodElement = peal_directory_find(method) else { return frameSlow(words, index, nil, result) }
        let list = Broadcast.List(peal_hazard_protect_fast(hazard, methodElement, UInt(PEAL_HAZARD_OF_LIBRARY)))
        guard peal_snapshot_method(list) == method,
            MethodTraits(rawValue: peal_snapshot_traits(list)).isFastPathEligibleWithoutResult
        else {
            return frameWithResult(words, index, hazard, result, method)
        }
        let (entries, count) = (peal_snapshot_entries(list), Int(peal_snapshot_count(list)))
        if shape.usesStack {
            _ = FrameReplay.withStack(shape, words, to: entries, count: count, hazard)
        } else {
            _ = FrameReplay.withRegisters(shape, words, to: entries, count: count, hazard)
        }
        Broadcast.release(hazard)
        return false
    }

    /// Copies the caller's stack words, and not one more.
    @inline(__always)
    static func copyStack(
        _ stack: UnsafePointer<UInt64>, to words: UnsafeMutablePointer<UInt64>, _ count: Int
    ) {
        // Copying a few words here costs less than a call of a copying function.
        if count > 4 { return words.update(from: stack, count: count) }
        words[0] = stack[0]
        if count > 1 { words[1] = stack[1] }
        if count > 2 { words[2] = stack[2] }
        if count > 3 { words[3] = stack[3] }
    }

    /// Broadcasts the frame if the method's policy examines results.
    @inline(never)
    @_optimize(speed)
    static func frameWithResult(
        _ words: UnsafeMutablePointer<UInt64>, _ index: UInt32, _ hazard: Broadcast.Hazard,
        _ result: UnsafeMutablePointer<peal_thunk_result>, _ method: UInt64
    ) -> Bool {
        let list = Broadcast.list(hazard)
        guard let policy = simplePolicy(of: list, method) else { return frameSlow(words, index, hazard, result) }
        guard let folded = fold(policy, hazard, list, words) else { return frameSlow(words, index, hazard, result) }
        let plan = peal_snapshot_plan(list).assumingMemoryBound(to: CallPlan.self)
        var room = peal_result_room()
        (room.words.0, room.words.1) = folded.words
        withUnsafePointer(to: &room) {
            result.initialize(to: peal_thunk_result($0, in: plan.pointee.resultLocation))
        }
        Broadcast.release(hazard)
        return true
    }

    /// - Parameter hazard: The slot of the method's list, if that is already protected.
    @inline(never)
    static func frameSlow(
        _ words: UnsafeMutablePointer<UInt64>, _ index: UInt32, _ hazard: Broadcast.Hazard?,
        _ result: UnsafeMutablePointer<peal_thunk_result>
    ) -> Bool {
        guard let call = find(words[0], UInt64(index)) else {
            if let hazard { Broadcast.release(hazard) }
            return fail(.staleSelf)
        }
        var room = peal_result_room()
        withUnsafeMutablePointer(to: &room) { room in
            call.run(.words(words, call.plan), hazard: hazard, result: room)
            result.initialize(to: peal_thunk_result(room, in: call.plan.pointee.resultLocation))
        }
        return true
    }

    /// A call of a closure, for shapes that have no frame.
    static func arguments(
        _ id: UInt64, _ index: Int, _ arguments: Broadcast.Arguments, _ result: UnsafeMutableRawPointer
    ) {
        guard let call = find(id, UInt64(index)) else { return fail(.staleSelf) }
        call.run(.pointers(arguments), result: result)
    }
}

extension peal_thunk_result {
    /// A result as its registers.
    ///
    /// - Parameter result: a `peal_result_room`.
    init(_ result: UnsafeRawPointer, in location: ResultLocation) {
        self.init()
        let integers = (result.load(as: UInt64.self), result.load(fromByteOffset: 8, as: UInt64.self))
        let floats = (result.load(as: Double.self), result.load(fromByteOffset: 8, as: Double.self))
        switch location {
        case .none, .elsewhere: break
        case .integer: self.integers.0 = integers.0
        case .float: self.floats.0 = floats.0
        case .integers: self.integers = integers
        case .floats: self.floats = result.load(as: peal_frame_ss.self).numbers
        case .singles: self.floats = peal_frame_ss(singles: result).numbers
        case .integerFloat: (self.integers.0, self.floats.0) = (integers.0, floats.1)
        case .floatInteger: (self.floats.0, self.integers.0) = (floats.0, integers.1)
        }
    }
}
