public import CPealSupport
public import PealCall

/// Broadcasts of invocations and sets of arguments that need no general path. Not members of the class, whose metadata
/// would have to be looked up first.
public enum InvocationAccess {
    private static var maximumBytes: Int { 256 }
    private static var maximumParameters: Int { 16 }

    /// Broadcasts a method that returns nothing, with arguments that are not retained and are passed in registers. Any
    /// other broadcast is left to `broadcastSlow` of the answer.
    ///
    /// Each value goes from the block to its register or its word of a frame. They are used if the invocation was alive
    /// and not written to meanwhile: no lock is taken, and no memory is written that other threads use. As in the
    /// dispatcher, each step jumps to the next.
    @inlinable
    @inline(__always)
    public static func broadcast<Answer: InvocationAnswer>(_ id: UInt64, _ calls: UnsafeMutablePointer<Int>?) -> Answer
    {
        let view = peal_invocation_view_of(id)
        guard view.values != nil else { return .broadcastSlow(id, calls) }
        let method = peal_invocation_view_method(view)
        guard let element = peal_invocation_view_element(view) else { return .broadcastSlow(id, calls) }
        // This thread loads the version last. While it is the same, the earlier loads were of this invocation's method.
        if _slowPath(peal_directory_is_empty(element)), peal_directory_is_of(element, method),
            peal_invocation_view_is_valid(view)
        {
            if let calls { calls.pointee = 0 }
            return .done
        }
        guard let hazard = peal_hazard_outermost() else { return .broadcastSlow(id, calls) }
        let list = Broadcast.List(peal_hazard_protect_fast(hazard, element, UInt(PEAL_HAZARD_OF_LIBRARY)))
        // The id is tested first: in another method's list nothing else has a meaning.
        guard peal_snapshot_method(list) == method else { return release(hazard, id, calls) }
        let traits = MethodTraits(rawValue: peal_snapshot_traits(list))
        if let integers = traits.integerCount { return sendIntegers(integers, view, hazard, list, id, calls) }
        guard let shape = traits.plainFrame, !shape.usesStack else { return release(hazard, id, calls) }
        return sendFrame(view, hazard, list, id, calls)
    }

    /// Releases a list whose observers were not called, and takes the slow path.
    @inlinable
    @inline(never)
    static func release<Answer: InvocationAnswer>(
        _ hazard: Broadcast.Hazard, _ id: UInt64, _ calls: UnsafeMutablePointer<Int>?
    ) -> Answer {
        Broadcast.release(hazard)
        return .broadcastSlow(id, calls)
    }

    /// Releases the list after its calls. `called` is nil if the values must be copied.
    @inlinable
    @inline(__always)
    static func finish<Answer: InvocationAnswer>(
        _ called: Int?, _ hazard: Broadcast.Hazard, _ id: UInt64, _ calls: UnsafeMutablePointer<Int>?
    ) -> Answer {
        guard let called else { return release(hazard, id, calls) }
        if let calls { calls.pointee = called }
        Broadcast.release(hazard)
        return .done
    }

    @inlinable
    @inline(never)
    static func sendIntegers<Answer: InvocationAnswer>(
        _ count: Int, _ view: peal_invocation_view, _ hazard: Broadcast.Hazard, _ list: Broadcast.List, _ id: UInt64,
        _ calls: UnsafeMutablePointer<Int>?
    ) -> Answer {
        let source = InvocationIntegers(view)
        let replay = IntegerReplay(
            source, MethodTraits(rawValue: peal_snapshot_traits(list)), to: peal_snapshot_entries(list),
            count: Int(peal_snapshot_count(list)), hazard)
        return finish(replay.replay(count), hazard, id, calls)
    }

    @inlinable
    @inline(never)
    static func sendFrame<Answer: InvocationAnswer>(
        _ view: peal_invocation_view, _ hazard: Broadcast.Hazard, _ list: Broadcast.List, _ id: UInt64,
        _ calls: UnsafeMutablePointer<Int>?
    ) -> Answer {
        var frame = peal_register_frame_room()
        let called = withUnsafeMutablePointer(to: &frame) { frame -> Int? in
            let words = UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UInt64.self)
            let plan = peal_snapshot_plan(list).assumingMemoryBound(to: CallPlan.self)
            guard CallPlan.buildFrame(plan, byWords: { peal_invocation_view_bytes(view, $0) }, into: words),
                peal_invocation_view_is_valid(view)
            else { return nil }
            // The traits may have changed since they were tested, but a list of the method has this shape or none.
            guard let shape = MethodTraits(rawValue: peal_snapshot_traits(list)).plainFrame else { return nil }
            return FrameReplay.withRegisters(
                shape, words, to: peal_snapshot_entries(list), count: Int(peal_snapshot_count(list)), hazard)
        }
        return finish(called, hazard, id, calls)
    }

    /// Broadcasts a method that returns nothing, with arguments that are not retained.
    ///
    /// The values are copied, and the copy is used if the invocation was alive and not written to meanwhile: nothing is
    /// allocated, no lock is taken, and no memory is written that other threads use.
    ///
    /// - Returns: nil if no observer was called, and `Invocation.broadcast` must make the calls.
    public static func broadcastFast(_ id: UInt64, calls: UnsafeMutablePointer<Int>?) -> Broadcast.Outcome? {
        withUnsafeTemporaryAllocation(byteCount: maximumBytes, alignment: CopyPlan.alignment) { copy in
            let copy = copy.baseAddress.unsafelyUnwrapped
            var call = peal_invocation_call()
            guard peal_invocation_read(id, copy, maximumBytes, &call) else { return nil }
            let plan = call.copy_plan.unsafelyUnwrapped.assumingMemoryBound(to: CopyPlan.self)
            let count = plan.pointee.parameterCount
            guard count <= maximumParameters else { return nil }
            return withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: maximumParameters) {
                memory in
                let arguments = memory.baseAddress.unsafelyUnwrapped
                var index = 0
                while index < count {
                    arguments[index] = copy + plan.pointee.offsets[index]
                    index += 1
                }
                let outcome: Broadcast.Outcome = Broadcast.send(call.method, arguments, count, nil, calls)
                // The general path fails again, and makes the sentence.
                return outcome.isFailure ? nil : outcome
            }
        }
    }

    /// Makes an invocation whose arguments are zeros, if the thread has the block of its last invocation of the method.
    /// This allocates no memory.
    ///
    /// - Returns: The invocation's id; 0 if the thread has no such block, and `Invocation.make` must make it.
    @inlinable
    @inline(__always)
    public static func makeFast(_ method: UInt64) -> UInt64 {
        var unpinned: UInt64 = 0
        if let values = peal_invocation_reuse(method, &unpinned) { return peal_invocation_begin(values) }
        unpin(unpinned)
        return 0
    }

    /// Ends an invocation whose block the thread keeps for its next one.
    ///
    /// - Returns: False if it has not ended, and `Invocation.end` must end it.
    @inlinable
    @inline(__always)
    public static func endFast(_ id: UInt64) -> Bool {
        var unpinned: UInt64 = 0
        guard peal_invocation_end_fast(id, &unpinned) else { return false }
        unpin(unpinned)
        return true
    }

    /// - Parameter method: A method whose pin a block had; 0: none.
    @inlinable
    @inline(__always)
    static func unpin(_ method: UInt64) {
        if _slowPath(method != 0) { releasePin(method) }
    }

    @usableFromInline
    @inline(never)
    static func releasePin(_ method: UInt64) { Handles.methods.unpin(method) }

    /// Sets an argument that is not retained.
    ///
    /// - Returns: False if it was not set, and `Invocation.write` must set it.
    @inlinable
    @inline(__always)
    public static func setFast(_ id: UInt64, _ index: Int, _ value: UnsafeRawPointer, _ size: Int) -> Bool {
        peal_invocation_set_fast(id, index, value, size)
    }
}

/// Arguments in the block of an invocation, to which other threads may write.
@usableFromInline
struct InvocationIntegers: IntegerSource {
    @usableFromInline let view: peal_invocation_view

    @inlinable
    @inline(__always)
    init(_ view: peal_invocation_view) { self.view = view }

    @inlinable
    @inline(__always)
    func integer(_ index: Int, isNarrow: Bool) -> UInt64? {
        peal_invocation_view_bytes(view, ArgumentLayout.offset(ofInteger: index))
    }

    @inlinable
    @inline(__always)
    var areUnchanged: Bool { peal_invocation_view_is_valid(view) }
}

/// The result of an invocation's broadcast in the caller's interface.
public protocol InvocationAnswer: BroadcastAnswer {
    /// Broadcasts an invocation in all other cases. No observer was called.
    static func broadcastSlow(_ id: UInt64, _ calls: UnsafeMutablePointer<Int>?) -> Self
}
