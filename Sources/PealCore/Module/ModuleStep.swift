internal import CPealSupport

/// One call of a module's start or stop, or of what it hears around its start.
final class ModuleStep: Sendable {
    enum Kind: Sendable {
        case willStart, start, didStart, stop

        /// As events say.
        var title: String { self == .stop ? "stop" : "start" }
    }

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

    private init(number: UInt64, _ kind: Kind, of module: Module, tellsWillStart: Bool, began: UInt64) {
        self.number = number
        self.kind = kind
        self.module = module
        self.tellsWillStart = tellsWillStart
        self.began = began
        deadline = module.deadline(from: began)
    }

    /// - Parameter began: From when its time counts.
    static func make(
        _ kind: Kind, of module: Module, tellsWillStart: Bool = false, began: UInt64 = peal_clock_now()
    ) -> ModuleStep? {
        Handles.moduleSteps.insert { number in
            ModuleStep(number: number, kind, of: module, tellsWillStart: tellsWillStart, began: began)
        }
    }
}
