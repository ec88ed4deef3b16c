extension CallPlan {
    /// The number of pointers that the largest call needs: the target's, each parameter's, and one for a second half.
    public static let slotCount = 1 + SyntaxLimits.parameters + 1

    /// The number of bytes that suffices for any scalar result, and for any struct in registers.
    public static let smallResultSize = 64

    /// Calls `function` through libffi.
    ///
    /// - Parameters:
    ///   - slots: `slotCount` pointers; the first points to the target pointer, the others to the argument values.
    ///   - arguments: the pointers from which `slots` was filled. They replace the slots that libffi overwrites.
    ///   - result: room for the result, at least a register wide; nil discards a struct in memory.
    @inlinable
    @inline(__always)
    public static func callThroughFFI(
        _ plan: Pointer, function: @escaping @convention(c) () -> Void,
        slots: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
        arguments: UnsafePointer<UnsafeMutableRawPointer?>?, result: UnsafeMutableRawPointer?
    ) {
        plan.pointee.caller.invoke(plan.pointee.caller.interface, function, result, slots)
        if plan.pointee.overwritesArguments {
            fillSlots(plan, from: arguments, into: slots)
        }
    }

    /// Copies the argument pointers after the slot of the target.
    ///
    /// - Returns: False when one of them is null; the slots must not be used then.
    @inlinable
    @inline(__always)
    @discardableResult
    public static func fillSlots(
        _ plan: Pointer, from arguments: UnsafePointer<UnsafeMutableRawPointer?>?,
        into slots: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> Bool {
        let count = plan.pointee.parameterCount
        guard count > 0 else { return true }
        guard let arguments else { return false }
        let halved = plan.pointee.halvedParameter
        var slot = slots
        for index in 0..<count {
            guard let argument = arguments[index] else { return false }
            slot += 1
            slot.pointee = argument
            if index == halved {
                slot += 1
                slot.pointee = argument + 8
            }
        }
        return true
    }
}
