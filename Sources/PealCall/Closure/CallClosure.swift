internal import CFFI
internal import CPealSupport

/// Functions of a plan's shape that forward their calls, for shapes that have no frame: closures of libffi.
///
/// The first argument identifies the target, so one closure serves all requests for the same index. Closures are
/// never freed: their callers may call them at any time.
public enum CallClosure {
    /// The function that a call is forwarded to.
    ///
    /// - Parameters:
    ///   - first: The first argument, which is no parameter.
    ///   - index: The index of the closure.
    ///   - arguments: One pointer a parameter.
    ///   - result: Room for the result, filled with zeros.
    public typealias Handler =
        @convention(c) (
            _ first: UnsafeMutableRawPointer?, _ index: Int, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>,
            _ result: UnsafeMutableRawPointer
        ) -> Void

    private struct Key: Hashable {
        let plan: UInt
        let index: Int
        let handler: UInt
    }

    /// The user data of a closure's handler.
    private struct Context {
        let plan: CallPlan.Pointer
        let index: Int
        let handler: Handler
    }

    /// The address of each closure's code.
    private static let known = Guarded<[Key: UInt]>([:])

    /// - Returns: nil where the system forbids code that is made at run time.
    public static func function(
        of plan: CallPlan.Pointer, index: Int, _ handler: @escaping Handler
    ) -> UnsafeRawPointer? {
        let key = Key(
            plan: UInt(bitPattern: plan), index: index, handler: unsafeBitCast(handler, to: UInt.self))
        if let code = known.withLock({ $0[key] }) { return UnsafeRawPointer(bitPattern: code) }
        // If two threads make the same closure at once, later requests find only one of the two. The other is never
        // freed, and costs a page at most.
        guard let made = make(plan, index, handler) else { return nil }
        let code = UInt(bitPattern: made)
        known.withLock { $0[key] = code }
        return made
    }

    private static func make(
        _ plan: CallPlan.Pointer, _ index: Int, _ handler: @escaping Handler
    ) -> UnsafeRawPointer? {
        // The context is never freed. Only the closure points to it, from memory that the leak sanitizer does not scan.
        peal_leaks_ignore_begin()
        defer { peal_leaks_ignore_end() }
        guard let context = try? RawMemory.allocate(Context.self, count: 1) else { return nil }
        context.initialize(to: Context(plan: plan, index: index, handler: handler))
        let interface = plan.pointee.interface.assumingMemoryBound(to: ffi_cif.self)
        let code = ExecutableMemory.closure(of: interface, context) { _, result, slots, context in
            CallClosure.handle(result, slots, context)
        }
        if code == nil { RawMemory.free(context) }
        return code
    }

    private static func handle(
        _ result: UnsafeMutableRawPointer?, _ slots: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        _ context: UnsafeMutableRawPointer?
    ) {
        guard let result, let slots, let context = context?.assumingMemoryBound(to: Context.self) else { return }
        let plan = context.pointee.plan
        ExecutableMemory.clear(result, size: plan.pointee.resultSize)
        let first = slots[0]?.load(as: UnsafeMutableRawPointer?.self)
        withJoinedHalves(plan, slots + 1) { context.pointee.handler(first, context.pointee.index, $0, result) }
    }

    /// A struct that was described to libffi in two halves has two slots.
    private static func withJoinedHalves(
        _ plan: CallPlan.Pointer, _ slots: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
        _ body: (UnsafePointer<UnsafeMutableRawPointer?>) -> Void
    ) {
        let halved = plan.pointee.halvedParameter
        guard halved >= 0, let first = slots[halved], let second = slots[halved + 1] else { return body(slots) }
        var whole = (first.loadUnaligned(as: UInt64.self), UInt64(0))
        let rest = Int(plan.pointee.parameterSizes[halved]) - MemoryLayout<UInt64>.size
        withUnsafeMutableBytes(of: &whole) { whole in
            guard let start = whole.baseAddress else { return }
            (start + 8).copyMemory(from: second, byteCount: rest)
            slots[halved] = start
            for index in halved + 1..<max(halved + 1, plan.pointee.parameterCount) { slots[index] = slots[index + 1] }
            body(slots)
        }
    }
}
