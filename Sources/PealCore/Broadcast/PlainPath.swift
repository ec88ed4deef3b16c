import PealCall

/// How the arguments of a plain method travel. Plain: results are dropped, recursion runs at once, and
/// a register frame carries the call, so that there is nothing else to look at.
enum PlainPath {
    /// Up to four integers of 32 or 64 bits, all parameters in order: they stay in registers. Which of
    /// them are narrow, by bits.
    case integers(count: Int, narrow: UInt32)
    case frame(FrameShape)

    /// - Returns: nil where `ffi_call` is needed.
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
