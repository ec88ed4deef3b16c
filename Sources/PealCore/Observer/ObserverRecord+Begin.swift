internal import CPealSupport

extension UnsafeMutablePointer<ObserverRecord> {
    /// Fills a record that is called like an observer's, with the strong and the weak count of its life.
    ///
    /// - Parameter gate: The bits of its gate besides the mark of a weak target.
    @inline(__always)
    func begin(
        gate: UInt32 = 0, extras: UInt8 = UInt8(PEAL_EXTRAS_COMMON), target: UnsafeMutableRawPointer?,
        destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?, owner: Owner? = nil, weak: WeakTarget? = nil
    ) {
        pointee.gate = gate | (weak?.gate ?? 0)
        pointee.references = 1
        pointee.weak_count = 1
        pointee.target = target
        pointee.destroy = destroy
        pointee.extras = extras
        delivery?.pointee.end.run = { ObserverLife.runEnd($0) }
        guard let extras = self.extras else { return }
        extras.pointee.owner = owner?.id ?? 0
        extras.pointee.retain = weak?.retain
        extras.pointee.release = weak?.release
        extras.pointee.reference = weak?.reference
    }
}
