internal import CPealSupport
import PealCall

/// One call as an object: a method, argument values, a result. This is a use of it: while an instance exists, the block
/// of the invocation keeps its contents. The block pins the method.
///
/// Each operation is atomic: other threads see the state before it or after it. Calls and the hooks of types run
/// without the lock, with the arguments that were current when they began. Retained arguments are in a capture, which
/// is replaced when one of them is set.
public struct Invocation: ~Copyable, @unchecked Sendable {
    // Unchecked: the lock in the block guards what changes.
    public let method: Method
    /// The arguments as they were given, then memory for one result, which is zero at first. The lock in this block
    /// guards both and the capture. See invocation.h of CPealSupport.
    let values: UnsafeMutablePointer<peal_invocation_values>

    private init(_ values: UnsafeMutablePointer<peal_invocation_values>) {
        self.values = values
        method = Handles.methods.pinned(peal_invocation_pinned(values)).object
    }

    deinit {
        if peal_invocation_end_use(values) { Self.free(values) }
    }

    /// Makes an invocation whose arguments are zeros.
    ///
    /// - Returns: The invocation's id; nil if the method's id is stale.
    public static func make(_ method: UInt64) throws(Failure) -> UInt64? {
        try block(for: method).map { peal_invocation_begin($0) }
    }

    /// Makes an invocation with these arguments. Pointed-to values are not captured.
    ///
    /// - Returns: The invocation's id; nil if the method's id is stale.
    public static func make(
        _ method: UInt64, arguments: Broadcast.Arguments?, count: Int
    ) throws(Failure) -> UInt64? {
        try make(method) { (method, values) throws(Failure) in
            guard count == method.plan.pointee.parameterCount else {
                throw BroadcastFailure.argumentCount(method, given: count)
            }
            guard count > 0 else { return nil }
            guard let arguments, (0..<count).allSatisfy({ arguments[$0] != nil }) else {
                throw BroadcastFailure.nullArgument(method, arguments)
            }
            _ = method.copyPlan.copyValues(arguments, to: values)
            return nil
        }
    }

    /// - Parameter fill: Writes the values and the result, which are zeros, or returns a capture of the values.
    /// - Returns: The invocation's id; nil if the method's id is stale.
    static func make(
        _ method: UInt64, _ fill: (Method, UnsafeMutableRawPointer) throws(Failure) -> ArgumentBlock?
    ) throws(Failure) -> UInt64? {
        guard let values = try block(for: method) else { return nil }
        do throws(Failure) {
            let capture = try Handles.methods.pinned(method).with { (method) throws(Failure) in
                try fill(method, peal_invocation_memory(values))
            }
            cell(values).pointee = capture
            return peal_invocation_begin(values)
        } catch {
            free(values)
            throw error
        }
    }

    /// - Returns: A block that pins the method and has a slot, with zeros as the values and the result; nil if the
    ///   method's id is stale.
    private static func block(
        for method: UInt64
    ) throws(Failure) -> UnsafeMutablePointer<peal_invocation_values>? {
        var unpinned: UInt64 = 0
        if let values = peal_invocation_reuse(method, &unpinned) { return values }
        InvocationAccess.unpin(unpinned)
        guard let pinned = Handles.methods.pin(method) else { return nil }
        do throws(Failure) {
            return try pinned.with { (method) throws(Failure) in try newBlock(for: method) }
        } catch {
            Handles.methods.unpin(method)
            throw error
        }
    }

    /// The same for a pinned method. The block has the pin from then on.
    private static func newBlock(
        for method: Method
    ) throws(Failure) -> UnsafeMutablePointer<peal_invocation_values> {
        let size = resultOffset(method) + method.resultSize
        guard let values = peal_invocation_allocate(size) else { throw .outOfMemory }
        do throws(Failure) {
            if !peal_invocation_has_slot(values) {
                let id = try peal_slots_of(PEAL_SLOTS_INVOCATIONS).take(
                    limit: "there are too many invocations in the process; destroy those that are not needed")
                peal_invocation_set_slot(values, id)
            }
        } catch {
            free(values)
            throw error
        }
        var needs = peal_invocation_method(
            id: method.id, copy_plan: method.copyPlan, size: size, parameter_count: method.parameterCount,
            parameter_sizes: method.plan.pointee.parameterSizes, offsets: method.copyPlan.pointee.offsets,
            has_result: method.resultSize > 0)
        peal_invocation_prepare(values, &needs)
        return values
    }

    // ---- The handle

    /// The invocation of an id, whose method must not have ended.
    public static func find(_ id: UInt64) throws(Failure) -> Invocation {
        guard let values = peal_invocation_use(id) else { throw .staleInvocation }
        let invocation = Invocation(values)
        guard peal_directory_is_of(invocation.method.element, invocation.method.id) else {
            throw .ended(invocation.method)
        }
        return invocation
    }

    /// Returns true if an invocation retains its arguments. Its method may have ended.
    public static func retainsArguments(_ id: UInt64) -> Bool {
        guard let values = peal_invocation_lock(id) else { return false }
        defer { peal_lock_release(&values.pointee.lock) }
        return cell(values).pointee != nil
    }

    /// Ends an invocation. Its capture is released once no call reads it.
    public static func end(_ id: UInt64) throws(Failure) {
        var unused: UnsafeMutablePointer<peal_invocation_values>?
        guard peal_invocation_end(id, &unused) else { throw .staleInvocation }
        if let unused { free(unused) }
    }

    /// Frees the block of an ended invocation that no thread uses. The hooks of types run last.
    private static func free(_ values: UnsafeMutablePointer<peal_invocation_values>) {
        let capture = cell(values).pointee.take()
        InvocationAccess.unpin(peal_invocation_free(values))
        extendLifetime(capture)
    }

    /// Releases the pins of a method that has ended, which the spare blocks of threads have.
    static func unpinSpareBlocks(of method: UInt64) {
        for _ in 0..<peal_invocation_claim_pins(method) { Handles.methods.unpin(method) }
    }

    /// The member of a block that owns the capture of the arguments; nil: they are not retained.
    private static func cell(
        _ values: UnsafeMutablePointer<peal_invocation_values>
    ) -> UnsafeMutablePointer<ArgumentBlock?> {
        UnsafeMutableRawPointer(peal_invocation_capture(values)).assumingMemoryBound(to: ArgumentBlock?.self)
    }

    // ---- The block

    /// The caller must hold the lock.
    private var capture: ArgumentBlock? { Self.cell(values).pointee }

    /// The result follows the values, aligned for any type.
    static func resultOffset(_ method: Method) -> Int {
        method.resultSize == 0
            ? method.copyPlan.pointee.fixedSize : method.copyPlan.pointee.fixedSize.roundedUp(to: CopyPlan.alignment)
    }

    /// The memory of the result. The caller must hold the lock.
    var result: UnsafeMutableRawPointer { peal_invocation_memory(values) + Self.resultOffset(method) }

    /// Runs `body` under the lock. The body must not acquire it again, and runs no user code.
    @inline(__always)
    func withLock<Value>(_ body: () -> Value) -> Value {
        peal_lock_acquire(&values.pointee.lock)
        defer { peal_lock_release(&values.pointee.lock) }
        return body()
    }

    /// The capture of the arguments; nil if they are not retained.
    var currentCapture: ArgumentBlock? { withLock { capture } }

    /// The current values. The caller must hold the lock.
    func value(_ index: Int) -> UnsafeMutableRawPointer {
        (capture?.memory ?? peal_invocation_memory(values)) + method.copyPlan.pointee.offsets[index]
    }

    /// Writes a given value. The caller must hold the lock.
    ///
    /// - Returns: False if the arguments are retained.
    func writeGiven(_ index: Int, from source: UnsafeRawPointer, size: Int) -> Bool {
        guard capture == nil else { return false }
        peal_invocation_write(values, method.copyPlan.pointee.offsets[index], source, size)
        return true
    }

    /// Replaces a capture, or given values, by a capture. Returns false if the old one was replaced or written
    /// meanwhile. The old capture ends with the caller's reference, outside the lock.
    ///
    /// - Parameter version: The version of given values.
    func replace(_ old: ArgumentBlock?, by new: ArgumentBlock, ifVersion version: UInt64) -> Bool {
        withLock {
            guard capture === old, old != nil || values.pointee.version == version else { return false }
            peal_invocation_close(values)
            Self.cell(values).pointee = new
            return true
        }
    }

    /// The arguments at one time.
    struct Arguments {
        /// One pointer for each parameter, to values that do not change meanwhile.
        let pointers: UnsafeMutablePointer<UnsafeMutableRawPointer?>
        let capture: ArgumentBlock?
        /// The version of given values.
        let version: UInt64
    }

    /// Passes the current arguments.
    func withArguments<Value>(_ body: (Arguments) throws(Failure) -> Value) throws(Failure) -> Value {
        let plan = method.copyPlan
        let result = withUnsafeTemporaryAllocation(
            byteCount: max(plan.pointee.fixedSize, 1), alignment: CopyPlan.alignment
        ) { copy in
            let copy = copy.baseAddress.unsafelyUnwrapped
            let (current, version) = withLock { () -> (ArgumentBlock?, UInt64) in
                if capture == nil {
                    copy.copyMemory(from: peal_invocation_memory(values), byteCount: plan.pointee.fixedSize)
                }
                return (capture, values.pointee.version)
            }
            return plan.withPointers(into: current?.memory ?? copy) { pointers in
                withExtendedLifetime(current) {
                    Result { () throws(Failure) in
                        try body(Arguments(pointers: pointers, capture: current, version: version))
                    }
                }
            }
        }
        return try result.get()
    }
}

/// An address that is passed out of a lock. Its receiver owns it, or may use it for a stated time.
struct UnsafeMemory: @unchecked Sendable {
    let address: UnsafeMutableRawPointer

    init(_ address: UnsafeMutableRawPointer) {
        self.address = address
    }
}

extension Failure {
    static func ended(_ method: Method) -> Failure {
        Failure(
            .state,
            "the protocol of \(method.title) has ended, with its center or its owner; the invocation can only be destroyed"
        )
    }
    static let staleInvocation = Failure(
        .handle, "the invocation's handle is invalid: zero, never created, or already destroyed")
}
