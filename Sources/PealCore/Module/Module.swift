internal import CPealSupport

/// A part that shares the application's life.
public final class Module: Sendable {
    public let number: UInt64
    public let name: String
    let className: String?
    /// Each once.
    let dependencies: [String]
    let tables: [Table]
    let mediator: Mediator
    /// Of its registration in its center.
    let sequence: UInt64
    // Its functions and its context are used as their contract says.
    private nonisolated(unsafe) let description: ModuleDescription
    // Guarded by the lock of the mediator.
    nonisolated(unsafe) var status = ModuleStatus()

    /// A table for a protocol.
    struct Table: Sendable {
        let proto: PealProtocol
        let functions: FunctionTables
        /// Those that are called where the module has its events.
        let told: FunctionTables
        /// With a queue, those with a result: as one handler, which waits for the answer.
        let asked: FunctionTables?
    }

    init(
        number: UInt64, _ description: ModuleDescription, dependencies: [String], tables: [Table], sequence: UInt64,
        mediator: Mediator
    ) {
        self.number = number
        self.name = description.name
        self.className = description.className
        self.dependencies = dependencies
        self.tables = tables
        self.sequence = sequence
        self.mediator = mediator
        self.description = description
    }

    var priority: Int32 { description.priority }
    var service: String? { description.service }
    var queue: Queue? { description.queue }
    var owner: Owner? { description.owner }
    var context: UnsafeMutableRawPointer? { description.context }
    var meaning: @Sendable (Int32) -> ModuleDescription.Meaning { description.meaning }
    /// Of each step, in milliseconds.
    var timeout: UInt32 { description.timeout }

    func function(of kind: ModuleStep.Kind) -> ModuleDescription.Step? {
        switch kind {
        case .start: description.start
        case .stop: description.stop
        case .willStart, .didStart, .answer: nil
        }
    }

    func deadline(from began: UInt64) -> UInt64 {
        timeout == .max ? .max : began + UInt64(timeout) * 1_000_000
    }

    /// Its functions for one of the life cycle's methods.
    func functions(for event: Method) -> [@convention(c) (UnsafeMutableRawPointer?) -> Void] {
        tables.compactMap { table in
            guard let functions = table.functions.tables[event.origin]?.functions, event.rank < functions.count else { return nil }
            return functions[event.rank].map {
                unsafeBitCast($0, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self)
            }
        }
    }

    /// Whether its steps can run on the calling thread: it has no queue, or the thread is that queue's.
    var runsHere: Bool {
        guard let queue else { return true }
        return queue.isCurrent || (queue.kind == .main && peal_thread_is_main())
    }

    /// Once, when nothing of it will be called any more. Call with no lock held.
    func release() {
        description.release?(description.context)
    }

    /// What peal will call, for the search.
    var pointers: [(what: String, function: UInt)] {
        let steps = [
            ("start of module \(name)", description.start.map { unsafeBitCast($0, to: UInt.self) }),
            ("stop of module \(name)", description.stop.map { unsafeBitCast($0, to: UInt.self) }),
            ("release function of module \(name)", description.release.map { unsafeBitCast($0, to: UInt.self) }),
        ]
        let listed = tables.flatMap { table in
            table.functions.addresses.map { ("table of module \(name) for \(table.proto.name)", $0 == 0 ? nil : $0) }
        }
        return (steps + listed).compactMap { what, function in function.map { (what, $0) } }
    }
}
