internal import CPealSupport
import PealCall

/// Broadcasts of invocations and sets of arguments that need no general path. Not members of the class, whose metadata
/// would have to be looked up first.
public enum InvocationAccess {
    /// Broadcasts a method that returns nothing, with arguments that are not retained.
    ///
    /// A pin keeps the invocation meanwhile, and the values are copied: nothing is allocated, and no lock is taken.
    ///
    /// - Returns: nil if no observer was called, and `Invocation.broadcast` must make the calls.
    @_optimize(speed)
    public static func broadcastFast(_ number: UInt64, calls: UnsafeMutablePointer<Int>?) -> Broadcast.Outcome? {
        Handles.invocations.withPinned(number, { Part($0) }) { $0.broadcast(calls) } ?? nil
    }

    /// Sets an argument that is not retained. A pin keeps the invocation meanwhile.
    ///
    /// - Returns: False if it was not set, and `Invocation.write` must set it.
    @_optimize(speed)
    public static func setFast(_ number: UInt64, _ index: Int, _ value: UnsafeRawPointer, _ size: Int) -> Bool {
        Handles.invocations.withPinned(number, { $0.writeGiven(index, value, size) }) { $0 } ?? false
    }

    /// State that ends with the invocation.
    private struct Part {
        let method: UInt64
        let hasResult: Bool
        let plan: CopyPlan.Pointer
        let values: UnsafeMutablePointer<peal_invocation_values>

        @inline(__always)
        init(_ invocation: Invocation) {
            method = invocation.method.number
            hasResult = invocation.method.plan.pointee.resultSize > 0
            plan = invocation.method.copyPlan
            values = invocation.first.values
        }

        private static var mostBytes: Int { 256 }

        @inline(__always)
        func broadcast(_ calls: UnsafeMutablePointer<Int>?) -> Broadcast.Outcome? {
            guard !hasResult, plan.pointee.fixedSize <= Self.mostBytes else { return nil }
            return withUnsafeTemporaryAllocation(byteCount: Self.mostBytes, alignment: CopyPlan.alignment) { copy in
                let copy = copy.baseAddress.unsafelyUnwrapped
                guard peal_invocation_values_read(values, copy, plan.pointee.fixedSize) else { return nil }
                return plan.withPointers(into: copy) { arguments in
                    let outcome: Broadcast.Outcome = Broadcast.send(
                        method, arguments, plan.pointee.parameterCount, nil, calls)
                    // It fails again, with a sentence.
                    return outcome.isFailure ? nil : outcome
                }
            }
        }
    }
}
