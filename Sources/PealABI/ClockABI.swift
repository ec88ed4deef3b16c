public import CPeal
internal import CPealSupport
internal import PealCore

@c @implementation
public func peal_clock_set_manual(_ is_manual: Bool) -> peal_status {
    peal_manual_clock_set(is_manual)
    return PEAL_OK
}

@c @implementation
public func peal_clock_advance(_ nanoseconds: UInt64, _ timeout: UInt32) -> peal_status {
    Boundary.status { () throws(Failure) in try ManualClock.advance(by: nanoseconds, timeout: timeout) }
}

@c @implementation
public func peal_clock_get_info(_ out_info: UnsafeMutablePointer<peal_clock_info>?) -> peal_status {
    Boundary.fill(out_info, "the information about the clock", peal_clock_info()) { info in
        info.is_manual = peal_clock_is_manual()
        info.now = peal_clock_now()
        info.next = ManualClock.next
    }
}
