internal import CPealSupport

/// One call of a module's start or stop, of its notifications around the start, or of an event with a result on its
/// queue.
final class ModuleStep: Sendable {
    enum Kind: Sendable, CaseIterable {
        case willStart, start, didStart, event, stop

        /// The name in notifications.
        var title: String {
            switch self {
            case .willStart, .start, .didStart: "start"
            case .event: "event"
            case .stop: "stop"
            }
        }
    }

    /// Why a step is abandoned at once.
    static func cycle(_ call: String) -> String { "waiting for it would deadlock: \(call) and waits for it" }

    /// Why a step fails if its queue does not run it.
    static let refusal = "its queue has ended, or its executor refuses work; the step was not called on another thread"

    /// The result of its function.
    typealias Result = ModuleDescription.Meaning

    enum Progress {
        case waiting, running, deferred
        case over(Result, at: UInt64)
    }

    let id: UInt64
    let kind: Kind
    let module: Module
    let began: UInt64
    /// The time limit of the step.
    let deadline: UInt64
    /// True if a start notifies the module of `will_start` first.
    let notifiesOfWillStart: Bool
    let query: ModuleQuery?

    // The lock of the mediator guards the rest.
    nonisolated(unsafe) var progress = Progress.waiting
    /// True if no thread waits for the step any more.
    nonisolated(unsafe) var isAbandoned = false
    /// True if observers were notified that the step is overdue.
    nonisolated(unsafe) var isReported = false
    /// The result from its completion, if that came before its function returned.
    nonisolated(unsafe) var answer: Result?
    nonisolated(unsafe) var completion: Completion?
    /// The use of the module's service by a start.
    nonisolated(unsafe) var use: ServiceUse?
    nonisolated(unsafe) var target: UnsafeMutableRawPointer?

    private init(
        id: UInt64, _ kind: Kind, of module: Module, notifiesOfWillStart: Bool, query: ModuleQuery?, began: UInt64
    ) {
        self.id = id
        self.kind = kind
        self.module = module
        self.notifiesOfWillStart = notifiesOfWillStart
        self.query = query
        self.began = began
        deadline = module.deadline(from: began)
    }

    /// - Parameter began: The beginning of its time limit.
    static func make(
        _ kind: Kind, of module: Module, notifiesOfWillStart: Bool = false, query: ModuleQuery? = nil,
        began: UInt64 = peal_clock_now()
    ) throws(Failure) -> ModuleStep {
        try Handles.moduleSteps.insert { id in
            ModuleStep(
                id: id, kind, of: module, notifiesOfWillStart: notifiesOfWillStart, query: query, began: began)
        }
    }
}
