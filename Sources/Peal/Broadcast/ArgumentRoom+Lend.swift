public import CPeal

extension ArgumentRoom {
    /// No status of the C interface: nothing was lent.
    @inlinable
    static var refused: peal_status { PEAL_STATUS_RESERVED_ }

    /// Lends what is in the room. Where not all fits nothing is lent, and `missing` says what all takes.
    @inlinable @inline(__always)
    func lend(
        _ missing: inout Int, to function: (UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int) -> peal_status
    ) -> peal_status {
        if _slowPath(length > capacity) {
            missing = length
            return PEAL_OK
        }
        if _slowPath(isRefused) { return Self.refused }
        return function(list, count)
    }
}
