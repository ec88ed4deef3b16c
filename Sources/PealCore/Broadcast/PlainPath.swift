import PealCall

/// How a plain method's arguments are passed without `ffi_call`. A method is plain if no result is wanted, its
/// recursion is free and it has no completion, so nothing else must be tested.
enum PlainPath {
    /// Up to four integers of 32 or 64 bits, all parameters in order: they stay in registers.
    case integers(CallPlan.Integers)
    case frame(FrameShape)

    /// - Returns: nil if `ffi_call` is needed.
    init?(_ plan: CallPlan.Pointer) {
        if let integers = plan.pointee.integers {
            self = .integers(integers)
        } else if let frame = plan.pointee.frame {
            self = .frame(frame)
        } else {
            return nil
        }
    }

    static var maximumIntegers: Int { CallPlan.Integers.most }
}
