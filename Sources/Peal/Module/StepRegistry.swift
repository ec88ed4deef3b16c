internal import CPeal
import Synchronization

/// The last step of each module, for its cancellation, and the error of a suspended step. An answer in C is a number,
/// so the error's sentence is stored until the caller of the start reads it.
enum StepRegistry {
    private struct Key: Hashable {
        let center: UInt64
        let module: String
    }

    private struct Entry {
        let attempt: StepAttempt
        var sentence: String?
    }

    private static let entries = Mutex<[Key: Entry]>([:])
    private static let watchedCenters = Mutex<Set<UInt64>>([])

    /// Enters a step that begins.
    static func enter(_ attempt: StepAttempt) {
        entries.withLock { $0[key(attempt)] = Entry(attempt: attempt) }
    }

    static func note(_ sentence: String, of attempt: StepAttempt) {
        entries.withLock { entries in
            if entries[key(attempt)]?.attempt === attempt { entries[key(attempt)]?.sentence = sentence }
        }
    }

    static func remove(_ module: String, in center: peal_center) {
        entries.withLock { _ = $0.removeValue(forKey: Key(center: center.id, module: module)) }
    }

    static func sentence(of module: String, in center: peal_center) -> String? {
        entries.withLock { $0[Key(center: center.id, module: module)]?.sentence }
    }

    /// An error of a start, with the module's error instead of its number.
    static func complete(_ error: PealError, of module: String, in center: peal_center) -> PealError {
        guard error.status == .start, let sentence = sentence(of: module, in: center) else { return error }
        return PealError(status: .start, message: "module \(module) could not be started: \(sentence)")
    }

    /// Cancels the steps of one kind that run in a center.
    static func cancel(_ kind: StepAttempt.Kind, in center: peal_center) {
        let attempts = entries.withLock { entries in
            entries.filter { $0.key.center == center.id && $0.value.attempt.kind == kind }.map(\.value.attempt)
        }
        for attempt in attempts { attempt.cancel() }
    }

    /// From now on, cancels each step of a center when its time limit expires.
    static func watchTimeLimits(in center: Center) throws(PealError) {
        let number = center.handle.id
        guard watchedCenters.withLock({ $0.insert(number).inserted }) else { return }
        let target = EventTarget<ModuleEvent>(
            notify: { event in
                guard case .overdue(let module, let step, _) = event else { return }
                let attempt = entries.withLock { $0[Key(center: number, module: module)]?.attempt }
                if let attempt, attempt.kind == step { attempt.cancel() }
            },
            end: { watchedCenters.withLock { _ = $0.remove(number) } })
        try center.observeTimeLimits(target).keep()
    }

    private static func key(_ attempt: StepAttempt) -> Key {
        Key(center: attempt.center.id, module: attempt.module)
    }
}

/// Exists as long as a module is registered. At its end it removes the module's last step from the registry.
final class StepRegistration {
    private let module: String
    private let center: peal_center

    init(_ module: String, in center: peal_center) {
        self.module = module
        self.center = center
    }

    deinit { StepRegistry.remove(module, in: center) }
}
