public import CPeal
internal import CPealSupport

@c @implementation
public func peal_last_status() -> peal_status {
    peal_status(
        rawValue: peal_thread_current().map { peal_thread_engine($0).pointee.last_status } ?? PEAL_ERROR_MEMORY.rawValue
    )
}

@c @implementation
public func peal_last_message() -> UnsafePointer<CChar>! {
    guard let thread = peal_thread_current() else { return peal_no_message() }
    return UnsafePointer(peal_thread_message(thread))
}

@c @implementation
public func peal_clear_failure() {
    guard let thread = peal_thread_current() else { return }
    peal_thread_engine(thread).pointee.last_status = PEAL_OK.rawValue
    peal_thread_message(thread)[0] = 0
}

@c @implementation
public func peal_version() -> UInt32 {
    UInt32(PEAL_VERSION_MAJOR * 10_000 + PEAL_VERSION_MINOR * 100 + PEAL_VERSION_PATCH)
}
