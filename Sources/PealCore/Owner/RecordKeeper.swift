internal import CPealSupport

/// What is called by a record, as observers are, and keeps it: an observation, a timer, a proxy.
protocol RecordKeeper: AnyObject, Sendable {
    /// The objects whose functions are called for this one, itself among them.
    var keepers: [any RecordKeeper] { get }
    /// nil: a proxy that broadcasts.
    var ownRecord: UnsafeMutablePointer<ObserverRecord>? { get }
}

extension RecordKeeper {
    var keepers: [any RecordKeeper] { [self] }
}

extension Observation: RecordKeeper {
    var keepers: [any RecordKeeper] { called }
    var ownRecord: UnsafeMutablePointer<ObserverRecord>? { record }
}

extension Timer: RecordKeeper {
    var ownRecord: UnsafeMutablePointer<ObserverRecord>? { observer }
}

extension Proxy: RecordKeeper {
    var ownRecord: UnsafeMutablePointer<ObserverRecord>? { target?.record }
}
