internal import CPealSupport
import PealCall

/// One call as an object: a method, argument values, a result.
///
/// Each operation is atomic: other threads see the state before it or after it. Calls and the hooks of types run
/// without the lock, with the arguments that were current when they began. Retained arguments are in a capture, which
/// is replaced when one of them is set.
public final class Invocation: Sendable {
    public let id: UInt64
    public let method: Method
    /// The arguments as they were given, then memory for one result, which is zero at first. The lock in this block
    /// guards both and the capture. See invocation.h of CPealSupport.
    nonisolated(unsafe) let values: UnsafeMutablePointer<peal_invocation_values>
    /// nil: the arguments are not retained.
    private nonisolated(unsafe) var capture: ArgumentBlock?

    private init(
        id: UInt64, method: Method, values: UnsafeMutablePointer<peal_invocation_values>, capture: ArgumentBlock?
    ) {
        self.id = id
        self.method = method
        self.values = values
        self.capture = capture
        peal_invocation_open(values, id, method.id, method.copyPlan, method.plan, Self.sizeForReaders(method))
        if capture != nil { peal_invocation_close(values) }
    }

    deinit {
        peal_invocation_free(values)
    }

    /// Makes an invocation whose arguments are zeros. The pin of the method replaces a reference meanwhile.
    ///
    /// - Returns: The invocation's id; nil if the method's id is stale.
    public static func make(_ method: UInt64) throws(Failure) -> UInt64? {
        try Handles.methods.withBorrowed(method) { (method) throws(Failure) in
            try method.with { (method) throws(Failure) in try make(method) { _ in nil }.id }
        }
    }

    /// An invocation with these arguments. Pointed-to values are not captured.
    public static func make(
        _ method: Method, arguments: Broadcast.Arguments?, count: Int
    ) throws(Failure) -> Invocation {
        guard count == method.plan.pointee.parameterCount else {
            throw BroadcastFailure.argumentCount(method, given: count)
        }
        if count > 0 {
            guard let arguments, (0..<count).allSatisfy({ arguments[$0] != nil }) else {
                throw BroadcastFailure.nullArgument(method, arguments)
            }
        }
        return try make(method) { values in
            if let arguments { _ = method.copyPlan.copyValues(arguments, to: values) }
            return nil
        }
    }

    static func make(_ method: Method, _ capture: ArgumentBlock) throws(Failure) -> Invocation {
        try make(method) { _ in capture }
    }

    /// - Parameter fill: Writes the values, which are zeros, or returns a capture.
    private static func make(
        _ method: Method, _ fill: (UnsafeMutableRawPointer) -> ArgumentBlock?
    ) throws(Failure) -> Invocation {
        guard let values = peal_invocation_allocate(resultOffset(method) + method.resultSize) else {
            throw .outOfMemory
        }
        do throws(Failure) {
            return try Handles.invocations.insert { id in
                Invocation(
                    id: id, method: method, values: values, capture: fill(peal_invocation_memory(values)))
            }
        } catch {
            peal_invocation_free(values)
            throw error
        }
    }

    /// The result follows the values, aligned for any type.
    private static func resultOffset(_ method: Method) -> Int {
        method.resultSize == 0
            ? method.copyPlan.pointee.fixedSize : method.copyPlan.pointee.fixedSize.roundedUp(to: CopyPlan.alignment)
    }

    /// The size of the values that a broadcast may read without the lock. The greatest number excludes methods with a
    /// result.
    private static func sizeForReaders(_ method: Method) -> UInt32 {
        method.resultSize == 0 ? UInt32(clamping: method.copyPlan.pointee.fixedSize) : .max
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

    /// The invocation of an id, whose method must not have ended.
    public static func find(_ id: UInt64) throws(Failure) -> Invocation {
        guard let invocation = Handles.invocations.find(id) else { throw .staleInvocation }
        guard peal_directory_is_of(invocation.method.element, invocation.method.id) else {
            throw Failure(
                .state,
                "the protocol of \(invocation.method.title) has ended, with its center or its owner; the invocation can only be destroyed"
            )
        }
        return invocation
    }

    /// Ends an invocation. Its captures are released once no call reads them.
    public static func end(_ id: UInt64) throws(Failure) {
        guard let invocation = Handles.invocations.remove(id) else { throw .staleInvocation }
        peal_invocation_end(invocation.values)
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
            capture = new
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
    static let staleInvocation = Failure(
        .handle, "the invocation's handle is invalid: zero, never created, or already destroyed")
}
