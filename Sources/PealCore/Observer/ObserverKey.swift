/// What tells two observers of one protocol apart: the target, or for those without one, the service or the
/// functions; of those with a handler that and the target; and the queue.
struct ObserverKey: Equatable, Sendable {
    /// What observers are looked up by. All of one target share it, whatever their handlers and queues are.
    enum Subject: Hashable {
        case target(UInt)
        /// The functions of observers without a target.
        case handler(UInt)
        case functions(Functions)
        case service(UInt64)
    }

    struct Functions: Hashable {
        let tables: ObserverTables

        static func == (left: Self, right: Self) -> Bool { left.tables.isEqual(to: right.tables) }
        func hash(into hasher: inout Hasher) { hasher.combine(tables.hash) }
    }

    let subject: Subject
    private let handler: UInt
    private let queue: UInt64

    init(target: UnsafeMutableRawPointer?, tables: ObserverTables, queue: UInt64) {
        let handler = tables.handled?.address
        if let target {
            subject = .target(UInt(bitPattern: target))
        } else {
            subject = handler.map { .handler($0) } ?? .functions(Functions(tables: tables))
        }
        self.handler = handler ?? 0
        self.queue = queue
    }

    init(service: UInt64, queue: UInt64) {
        subject = .service(service)
        handler = 0
        self.queue = queue
    }
}
