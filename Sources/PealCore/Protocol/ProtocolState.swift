/// What changes of a protocol. Guarded by its center's lock.
struct ProtocolState {
    /// Those it declares itself, in the order of its table.
    var own: [Method] = []
    /// The adopted ones, then its own; each with this protocol as its owner.
    var all: [Method] = []
    /// Protocols that adopt it directly.
    var adopters: [PealProtocol] = []
    /// Those of one subject in the order of their registration.
    var observations: [ObserverKey.Subject: [Observation]] = [:]
    /// The owners that defined it; zero for a definition that belongs to nobody, and lasts.
    var definers: Set<UInt64> = []
    /// Observers that conform to it, those of adopters included.
    var conformerCount = 0
    /// Those among them whose target is held weakly.
    var weakConformerCount = 0

    /// The highest `since` of its methods.
    var version: Int { own.map { $0.declaration.since }.max() ?? 1 }
}
