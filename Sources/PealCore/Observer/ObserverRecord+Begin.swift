internal import CPealSupport

extension UnsafeMutablePointer<ObserverRecord> {
    /// Fills the record of whatever is called as observers are, with the reference and the owner of its life.
    ///
    /// - Parameter gate: What stands in its gate besides the mark of a weak target.
    func begin(
        gate: UInt32 = 0, target: UnsafeMutableRawPointer?,
        destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?, owner: Owner?, weak: WeakTarget?
    ) {
        pointee.gate = gate | (weak == nil ? 0 : ObserverGate.weak)
        pointee.references = 1
        pointee.owners = 1
        pointee.target = target
        pointee.destroy = destroy
        pointee.owner = owner?.number ?? 0
        pointee.retain = weak?.retain
        pointee.release = weak?.release
        pointee.reference = weak?.reference
        pointee.end.run = { ObserverLife.runEnd($0) }
    }
}
