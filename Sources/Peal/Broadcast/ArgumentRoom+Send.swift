public import CPeal

extension ArgumentRoom {
    /// No status of the C interface: nothing was sent.
    @inlinable
    static var refused: peal_status { PEAL_STATUS_RESERVED_ }

    /// Sends what is in the room. Where not all fits nothing is sent, and `missing` says what all takes.
    @inlinable @inline(__always)
    func send(
        to method: peal_method, _ options: UnsafePointer<peal_send_options>?, _ result: UnsafeMutableRawPointer?,
        _ calls: inout Int, _ missing: inout Int
    ) -> peal_status {
        if _slowPath(length > capacity) {
            missing = length
            return PEAL_OK
        }
        if _slowPath(isRefused) { return Self.refused }
        return .sent(to: method, list, count, options, result, &calls)
    }
}
