/// What tells two observers of one protocol apart: the target, or for those without one, the service or the
/// functions; of those with a handler that and the target; and the queue.
struct ObserverKey: Hashable, Sendable {
    private enum Identity: Hashable {
        case target(UInt)
        case handler(UInt, target: UInt)
        case functions([UInt])
        case service(UInt64)
    }

    private let identity: Identity
    private let queue: UInt64

    init(target: UnsafeMutableRawPointer?, functions: FunctionTables, queue: UInt64) {
        if let handled = functions.handled {
            identity = .handler(handled.address, target: UInt(bitPattern: target))
        } else if let target {
            identity = .target(UInt(bitPattern: target))
        } else {
            identity = .functions(functions.addresses)
        }
        self.queue = queue
    }

    init(service: UInt64, queue: UInt64) {
        identity = .service(service)
        self.queue = queue
    }
}
