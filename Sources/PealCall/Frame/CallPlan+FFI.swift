public import CFFI

extension CallPlan {
    /// Pointers that the largest call needs: the target's, each parameter's, and one for a second half.
    public static let slotCount = 1 + SyntaxLimits.parameters + 1

    /// Room on the stack that the result of any scalar, and of any struct in registers, fits in.
    public static let smallResultSize = 64

    /// Calls `function` through libffi.
    ///
    /// - Parameters:
    ///   - slots: `slotCount` pointers; the first points to where the target stands, the
    ///     rest to argument values.
    ///   - arguments: what `slots` was filled from, to repair what libffi overwrites.
    ///   - result: room for the result, at least a register wide; nil drops a struct in memory.
    @inlinable
    @inline(__always)
    public static func callThroughFFI(
        _ plan: Pointer, function: @escaping @convention(c) () -> Void,
        slots: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
        arguments: UnsafePointer<UnsafeMutableRawPointer?>?, result: UnsafeMutableRawPointer?
    ) {
        ffi_call(plan.pointee.interface.assumingMemoryBound(to: ffi_cif.self), function, result, slots)
        if plan.pointee.overwritesArguments {
            fillSlots(plan, from: arguments, into: slots)
        }
    }

    /// Copies the argument pointers behind the slot of the target.
    @inline(__always)
    public static func fillSlots(
        _ plan: Pointer, from arguments: UnsafePointer<UnsafeMutableRawPointer?>?,
        into slots: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) {
        guard let arguments else { return }
        let count = plan.pointee.parameterCount
        let halved = plan.pointee.halvedParameter
        if halved < 0 {
            (slots + 1).update(from: arguments, count: count)
        } else {
            (slots + 1).update(from: arguments, count: halved + 1)
            slots[halved + 2] = arguments[halved].map { $0 + 8 }
            (slots + halved + 3).update(from: arguments + halved + 1, count: count - halved - 1)
        }
    }
}
