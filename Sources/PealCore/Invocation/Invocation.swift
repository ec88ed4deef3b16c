internal import CPealSupport
import PealCall

/// One call as an object: a method, argument values, a result.
///
/// Each operation is atomic: other threads see the state before it or after it. Calls and the hooks of types run
/// without the lock, with the arguments at their beginning. A retained argument is set by replacing the block.
public final class Invocation: Sendable {
    struct State {
        var block: ArgumentBlock
        /// Memory for one result, zeros until there is one. Not used by a method without result.
        let result: UnsafeMutableRawPointer
    }

    public let number: UInt64
    public let method: Method
    /// The first block of the invocation. It is kept, since calls read its values without the lock.
    let first: ArgumentBlock
    let state: Guarded<State>

    private init(number: UInt64, method: Method, state: sending State) {
        self.number = number
        self.method = method
        first = state.block
        self.state = Guarded(state)
    }

    deinit {
        if method.resultSize > 0 { peal_memory_free(state.withLock { UnsafeMemory($0.result) }.address) }
    }

    /// An invocation whose arguments are zeros.
    public static func make(_ method: Method) throws(Failure) -> Invocation {
        try make(method, try .zeros(method.copyPlan))
    }

    /// An invocation with these arguments, pointers as they are given.
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
        return try make(method, try .values(method.copyPlan, arguments))
    }

    static func make(_ method: Method, _ block: ArgumentBlock) throws(Failure) -> Invocation {
        let size = method.resultSize
        guard let result = size > 0 ? peal_memory_allocate(size) : block.memory else { throw .outOfMemory }
        let memory = UnsafeMemory(result)
        do throws(Failure) {
            return try Handles.invocations.insert { number in
                Invocation(number: number, method: method, state: State(block: block, result: memory.address))
            }
        } catch {
            if size > 0 { peal_memory_free(result) }
            throw error
        }
    }

    /// The invocation of a number, whose method must not have ended.
    public static func find(_ number: UInt64) throws(Failure) -> Invocation {
        guard let invocation = Handles.invocations.find(number) else { throw .staleInvocation }
        guard peal_directory_is_of(invocation.method.place, invocation.method.number) else {
            throw Failure(
                .state,
                "the protocol of \(invocation.method.title) has ended, with its center or its owner; the invocation can only be destroyed")
        }
        return invocation
    }

    /// Ends an invocation. Its captures are released once no call reads them.
    public static func end(_ number: UInt64) throws(Failure) {
        guard Handles.invocations.remove(number) != nil else { throw .staleInvocation }
    }

    /// The current arguments. Given ones may be written at any time.
    var block: ArgumentBlock { state.withLock { $0.block } }

    /// Passes one pointer for each parameter of a block, to values that do not change meanwhile.
    ///
    /// - Parameter body: Also receives the version of given values.
    func withArguments<Value>(
        of block: ArgumentBlock, _ body: (UnsafeMutablePointer<UnsafeMutableRawPointer?>, UInt64) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        if block.isCaptured { return try block.withArguments { (slots) throws(Failure) in try body(slots, 0) } }
        let result = withUnsafeTemporaryAllocation(
            byteCount: max(block.size, 1), alignment: CopyPlan.alignment
        ) { copy in
            Result { () throws(Failure) in
                let copy = UnsafeMemory(copy.baseAddress.unsafelyUnwrapped)
                let version = state.withLock { _ in
                    copy.address.copyMemory(from: block.memory, byteCount: block.size)
                    return block.values.pointee.version
                }
                return try block.withArguments(of: copy.address) { (slots) throws(Failure) in try body(slots, version) }
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
