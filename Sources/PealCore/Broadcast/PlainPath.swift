import PealCall

/// How a plain method's arguments are passed without `ffi_call`. A method is plain if no result is wanted, its
/// recursion is free and it has no completion, so nothing else must be tested.
enum PlainPath {
    /// Up to four integers of 32 or 64 bits, all parameters in order: they stay in registers. The bits of `narrow`
    /// mark those of 32 bits.
    case integers(count: Int, narrow: UInt32)
    case frame(FrameShape)

    /// - Returns: nil if `ffi_call` is needed.
    init?(_ plan: CallPlan.Pointer) {
        if let widths = plan.pointee.integerWidths, widths.count <= Self.mostIntegers {
            let narrow = widths.enumerated().reduce(UInt32(0)) { bits, width in
                width.element == 4 ? bits | 1 << UInt32(width.offset) : bits
            }
            self = .integers(count: widths.count, narrow: narrow)
        } else if let frame = plan.pointee.frame {
            self = .frame(frame)
        } else {
            return nil
        }
    }

    static var mostIntegers: Int { 4 }
}
