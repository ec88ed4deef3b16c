internal import CPealSupport

/// One call of a module's start or stop, of what it hears around its start, or of an event that it answers on
/// its queue.
final class ModuleStep: Sendable {
    enum Kind: Sendable {
        case willStart, start, didStart, answer, stop

        /// As events say.
        var title: String {
            switch self {
            case .willStart, .start, .didStart: "start"
            case .answer: "event"
            case .stop: "stop"
            }
        }

        /// Whether a module is called for this while its status is that. It is looked at under the lock under
        /// which the call begins to count as the module's: what removes the module waits for it, or prevents it.
        func isCalled(in status: ModuleStatus) -> Bool {
            switch self {
            case .willStart: status.state == .registered && status.isMember
            case .start: status.state == .starting
            case .didStart, .answer: status.state == .running && status.isMember
            case .stop: status.state == .stopping
            }
        }
    }

    /// Why a step is given up at once.
    static let circle = "it waits for a call of another module, and that waits for it"

    /// Why a step is not called where its queue does not run it.
    static let refusal = "its queue has ended, or its executor takes no work; the step was not called on another thread"

    /// How its function ended.
    enum Result: Sendable {
        case done, deferred
        /// Why, in words.
        case failed(String)
    }

    enum Progress {
        case waiting, running, deferred
        case over(Result, at: UInt64)
    }

    let number: UInt64
    let kind: Kind
    let module: Module
    let began: UInt64
    /// Its time limit.
    let deadline: UInt64
    /// Whether a start is to tell its module of `will_start` before.
    let tellsWillStart: Bool
    let question: ModuleQuestion?

    // The rest is guarded by the lock of the mediator.
    nonisolated(unsafe) var progress = Progress.waiting
    /// Nobody waits for it any more.
    nonisolated(unsafe) var isGivenUp = false
    /// Its module is known to be overdue.
    nonisolated(unsafe) var isReported = false
    /// What came from its completion before its function returned.
    nonisolated(unsafe) var answer: Result?
    nonisolated(unsafe) var completion: Completion?
    /// Of the module's service, got by a start.
    nonisolated(unsafe) var use: ServiceUse?
    nonisolated(unsafe) var target: UnsafeMutableRawPointer?

    private init(
        number: UInt64, _ kind: Kind, of module: Module, tellsWillStart: Bool, question: ModuleQuestion?, began: UInt64
    ) {
        self.number = number
        self.kind = kind
        self.module = module
        self.tellsWillStart = tellsWillStart
        self.question = question
        self.began = began
        deadline = module.deadline(from: began)
    }

    /// - Parameter began: From when its time counts.
    static func make(
        _ kind: Kind, of module: Module, tellsWillStart: Bool = false, question: ModuleQuestion? = nil,
        began: UInt64 = peal_clock_now()
    ) -> ModuleStep? {
        Handles.moduleSteps.insert { number in
            ModuleStep(
                number: number, kind, of: module, tellsWillStart: tellsWillStart, question: question, began: began)
        }
    }
}
