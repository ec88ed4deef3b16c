internal import CPealSupport
import PealCall

/// A prepared call without its target.
struct SingleCall {
    let plan: CallPlan.Pointer
    /// One pointer for each parameter.
    let arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    /// Memory for the result, at least `CallPlan.smallResultSize` bytes.
    let result: UnsafeMutableRawPointer

    func run(_ function: @escaping @convention(c) () -> Void, target: UnsafeMutableRawPointer?) {
        if let shape = plan.pointee.frame {
            withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Int(PEAL_FRAME_WORDS)) { frame in
                let words = frame.baseAddress.unsafelyUnwrapped
                _ = CallPlan.buildFrame(plan, from: arguments, into: words)
                CallPlan.callWithFrame(
                    plan, shape: shape, function: function, target: target, words: words, result: result)
            }
        } else {
            withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: CallPlan.slotCount) { memory in
                let slots = memory.baseAddress.unsafelyUnwrapped
                CallPlan.fillSlots(plan, from: arguments, into: slots)
                var target = target
                withUnsafeMutablePointer(to: &target) { target in
                    slots[0] = UnsafeMutableRawPointer(target)
                    CallPlan.callThroughFFI(
                        plan, function: function, slots: slots, arguments: arguments, result: result)
                }
            }
        }
    }
}
