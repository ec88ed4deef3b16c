public import CPealSupport

extension FrameShape {
    /// Calls a function whose result is dropped, or returned in the integer register.
    @inline(__always)
    @discardableResult
    public func call(
        _ function: @escaping peal_frame_function, target: UnsafeMutableRawPointer?,
        words: UnsafePointer<UInt64>
    ) -> UInt64 {
        switch rawValue {
        case 0: peal_frame_i_1_0_0(function, target, words)
        case 1: peal_frame_i_2_0_0(function, target, words)
        case 2: peal_frame_i_3_0_0(function, target, words)
        case 3: peal_frame_i_4_0_0(function, target, words)
        case 4: peal_frame_i_5_0_0(function, target, words)
        case 5: peal_frame_i_all_0_0(function, target, words)
        case 6: peal_frame_i_1_2_0(function, target, words)
        case 7: peal_frame_i_2_2_0(function, target, words)
        case 8: peal_frame_i_3_2_0(function, target, words)
        case 9: peal_frame_i_4_2_0(function, target, words)
        case 10: peal_frame_i_5_2_0(function, target, words)
        case 11: peal_frame_i_all_2_0(function, target, words)
        case 12: peal_frame_i_1_8_0(function, target, words)
        case 13: peal_frame_i_2_8_0(function, target, words)
        case 14: peal_frame_i_3_8_0(function, target, words)
        case 15: peal_frame_i_4_8_0(function, target, words)
        case 16: peal_frame_i_5_8_0(function, target, words)
        case 17: peal_frame_i_all_8_0(function, target, words)
        case 18: peal_frame_i_all_0_1(function, target, words)
        case 19: peal_frame_i_all_0_2(function, target, words)
        case 20: peal_frame_i_all_0_3(function, target, words)
        case 21: peal_frame_i_all_0_4(function, target, words)
        case 22: peal_frame_i_all_0_6(function, target, words)
        case 23: peal_frame_i_all_0_8(function, target, words)
        case 24: peal_frame_i_all_0_12(function, target, words)
        case 25: peal_frame_i_all_0_16(function, target, words)
        case 26: peal_frame_i_all_8_1(function, target, words)
        case 27: peal_frame_i_all_8_2(function, target, words)
        case 28: peal_frame_i_all_8_3(function, target, words)
        case 29: peal_frame_i_all_8_4(function, target, words)
        case 30: peal_frame_i_all_8_6(function, target, words)
        case 31: peal_frame_i_all_8_8(function, target, words)
        case 32: peal_frame_i_all_8_12(function, target, words)
        default: peal_frame_i_all_8_16(function, target, words)
        }
    }
}
