internal import CPealSupport

/// A part of an application that starts and stops with it.
public final class Module: Sendable {
    public let id: UInt64
    public let name: String
    let className: String?
    /// The names of the modules that it needs, without duplicates.
    let dependencies: [String]
    let tables: [Table]
    let mediator: Mediator
    /// The number of its registration in its center.
    let sequence: UInt64
    // The functions and the context are used by their contract.
    private nonisolated(unsafe) let description: ModuleDescription
    // The lock of the mediator guards it.
    nonisolated(unsafe) var status = ModuleStatus()

    /// A table of functions for a protocol.
    struct Table: Sendable {
        let proto: PealProtocol
        let functions: FunctionTables
        /// The functions that are called as observers: directly, or later on the module's queue.
        let notified: FunctionTables
        /// If the module has a queue: the functions with a result, as one handler that waits for the queue.
        let queried: FunctionTables?
    }

    init(
        id: UInt64, _ description: ModuleDescription, dependencies: [String], tables: [Table], sequence: UInt64,
        mediator: Mediator
    ) {
        self.id = id
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
    /// The time limit of each step, in milliseconds.
    var timeout: UInt32 { description.timeout }

    func function(of kind: ModuleStep.Kind) -> ModuleDescription.Step? {
        switch kind {
        case .start: description.start
        case .stop: description.stop
        case .willStart, .didStart, .event: nil
        }
    }

    func deadline(from began: UInt64) -> UInt64 {
        timeout == .max ? .max : began + UInt64(timeout) * 1_000_000
    }

    /// The functions for a method of the life-cycle protocol.
    func functions(for event: Method) -> [@convention(c) (UnsafeMutableRawPointer?) -> Void] {
        tables.compactMap { table in
            guard let functions = table.functions.tables[event.origin]?.functions, event.rank < functions.count else {
                return nil
            }
            return functions[event.rank].map {
                unsafeBitCast($0, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self)
            }
        }
    }

    /// Returns true if its steps can run on the calling thread: it has no queue, or the thread runs that queue.
    var runsHere: Bool {
        guard let queue else { return true }
        return queue.isCurrent || (queue.kind == .main && peal_thread_is_main())
    }

    /// Calls the release function: once, when no other code of the module is called any more. The caller must hold no
    /// lock.
    func release() {
        description.release?(description.context)
    }

    /// The functions that peal may call, for the search for function pointers.
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

/// The part of a module that changes. The lock of the mediator guards it.
struct ModuleStatus {
    // Changed by MediatorState.request alone.
    var state = ModuleState.registered
    var membership = ModuleMembership.member
    /// The module's position in the start order, from 1; 0 before its start.
    var order: UInt64 = 0
    /// Monotonic times in nanoseconds: the beginning and the duration.
    var start = (began: UInt64(0), took: UInt64(0))
    var stop = (began: UInt64(0), took: UInt64(0))
    var isOverdue = false
    var lastFailure = ""
    /// The deadline of its action.
    var deadline = UInt64.max

    /// The `self` of its functions while it runs.
    var target: UnsafeMutableRawPointer?
    /// The use of its service while it runs.
    var use: ServiceUse?
    var wasNotifiedOfWillStart = false
    var observations: [Observation] = []
    /// The module's former observations, whose calls may still run.
    var ended: [Observation] = []
    /// The threads that run its steps, with one element for each call.
    var callers: [UInt] = []

    /// The thread that performs its last action; 0 until another thread of the library takes that over.
    var performer: UInt = 0
    /// The thread that removes the modules of its retiring owner, until all of them are removed; 0 if none.
    var retirer: UInt = 0

    /// The number of its dependencies that do not run, during a start.
    var waitsFor = 0

    /// Returns true while a thread starts or stops it. The other threads wait for that.
    var isInAction: Bool { state == .starting || state == .stopping }
}

/// A report about a module, read atomically.
public struct ModuleInfo: Sendable {
    public let state: ModuleState
    public let priority: Int32
    public let name: String
    public let className: String
    public let dependencies: String
    public let order: UInt64
    public let startedAt: UInt64
    public let startTime: UInt64
    public let stopTime: UInt64
    public let isOverdue: Bool
    public let lastFailure: String
}

extension Module {
    public var info: ModuleInfo {
        let now = peal_clock_now()
        return mediator.withState { _ in
            ModuleInfo(
                state: status.state, priority: priority, name: name, className: className ?? "",
                dependencies: dependencies.joined(separator: ", "), order: status.order, startedAt: status.start.began,
                startTime: status.state == .starting ? now &- status.start.began : status.start.took,
                stopTime: status.state == .stopping ? now &- status.stop.began : status.stop.took,
                isOverdue: status.isOverdue, lastFailure: status.lastFailure)
        }
    }
}
