internal import CFFI
internal import CPealSupport

extension CallPlan {
    /// What a recorded call hands on: its first argument, which is no parameter, and where the values of
    /// its arguments are.
    public typealias Recorded = @convention(c) (
        _ first: UnsafeMutableRawPointer?, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>
    ) -> Void

    /// Writes argument values back from the words of a frame that was called with them.
    ///
    /// - Parameter arguments: one pointer a parameter, to room for its value.
    public static func readFrame(
        _ plan: Pointer, _ words: UnsafePointer<UInt64>, into arguments: UnsafePointer<UnsafeMutableRawPointer?>
    ) {
        var move = plan.pointee.moves
        while move != plan.pointee.endOfMoves {
            if let argument = arguments[Int(move.pointee.argument)] {
                move.pointee.store(words[Int(move.pointee.word)], to: argument)
            }
            move += 1
        }
    }

    /// A function of the plan's shape that records its calls, for shapes that have no frame: a closure of
    /// libffi, made once and kept.
    ///
    /// - Returns: nil where the system forbids code that is made at run time.
    public static func closure(_ plan: Pointer, _ recorded: @escaping Recorded) -> UnsafeRawPointer? {
        let key = UInt(bitPattern: plan)
        if let known = closures.withLock({ $0[key] }) { return UnsafeRawPointer(bitPattern: known) }
        // Where two threads make it at once one is left over, for good; that costs a page at most.
        guard let made = makeClosure(plan, recorded) else { return nil }
        let code = UInt(bitPattern: made)
        closures.withLock { $0[key] = code }
        return made
    }

    /// What the handler of a closure finds.
    private struct ClosurePlan {
        let plan: Pointer
        let recorded: Recorded
    }

    /// The code of each plan's closure, by address. Neither is ever freed.
    private static let closures = Guarded<[UInt: UInt]>([:])

    private static func makeClosure(_ plan: Pointer, _ recorded: @escaping Recorded) -> UnsafeRawPointer? {
        var code: UnsafeMutableRawPointer?
        guard let memory = ffi_closure_alloc(MemoryLayout<ffi_closure>.size, &code), let code else { return nil }
        // Kept for good by the closure alone, where the leak sanitizer does not look.
        peal_leaks_ignore_begin()
        defer { peal_leaks_ignore_end() }
        guard let own = try? RawMemory.allocate(ClosurePlan.self, count: 1) else {
            ffi_closure_free(memory)
            return nil
        }
        own.initialize(to: ClosurePlan(plan: plan, recorded: recorded))
        let interface = plan.pointee.interface.assumingMemoryBound(to: ffi_cif.self)
        let status = ffi_prep_closure_loc(
            memory.assumingMemoryBound(to: ffi_closure.self), interface,
            { _, result, slots, own in CallPlan.handle(result, slots, own) }, own, code)
        guard status == FFI_OK else {
            ffi_closure_free(memory)
            peal_memory_free(own)
            return nil
        }
        return UnsafeRawPointer(code)
    }

    private static func handle(
        _ result: UnsafeMutableRawPointer?, _ slots: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        _ own: UnsafeMutableRawPointer?
    ) {
        guard let slots, let own = own?.assumingMemoryBound(to: ClosurePlan.self) else { return }
        let plan = own.pointee.plan
        // libffi widens small results to a register.
        let size = max(plan.pointee.resultSize, plan.pointee.resultKind == .void ? 0 : MemoryLayout<ffi_arg>.size)
        result?.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        let first = slots[0]?.load(as: UnsafeMutableRawPointer?.self)
        withJoinedHalves(plan, slots + 1) { own.pointee.recorded(first, $0) }
    }

    /// A struct that libffi was told in two halves stands in two slots.
    private static func withJoinedHalves(
        _ plan: Pointer, _ slots: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
        _ body: (UnsafePointer<UnsafeMutableRawPointer?>) -> Void
    ) {
        let halved = plan.pointee.halvedParameter
        guard halved >= 0, let first = slots[halved], let second = slots[halved + 1] else { return body(slots) }
        var whole = (first.loadUnaligned(as: UInt64.self), UInt64(0))
        let rest = plan.pointee.parameterSizes[halved] - MemoryLayout<UInt64>.size
        withUnsafeMutableBytes(of: &whole) { whole in
            guard let start = whole.baseAddress else { return }
            (start + 8).copyMemory(from: second, byteCount: rest)
            slots[halved] = start
            for index in halved + 1..<max(halved + 1, plan.pointee.parameterCount) { slots[index] = slots[index + 1] }
            body(slots)
        }
    }
}
