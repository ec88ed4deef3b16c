internal import CPeal
import Synchronization

/// Errors of steps that had suspended. An answer in C is a number, so the sentence is stored here until the caller
/// of the start reads it.
enum StepFailures {
    private struct Key: Hashable {
        let center: UInt64
        let module: String
    }

    private static let sentences = Mutex<[Key: String]>([:])

    static func note(_ sentence: String, of module: String, in center: peal_center) {
        sentences.withLock { $0[Key(center: center.number, module: module)] = sentence }
    }

    static func remove(_ module: String, in center: peal_center) {
        sentences.withLock { _ = $0.removeValue(forKey: Key(center: center.number, module: module)) }
    }

    static func sentence(of module: String, in center: peal_center) -> String? {
        sentences.withLock { $0[Key(center: center.number, module: module)] }
    }

    /// An error of a start, with the module's error instead of its number.
    static func complete(_ error: PealError, in center: peal_center) -> PealError {
        guard error.status == .start else { return error }
        let own = sentences.withLock { sentences in
            sentences.lazy.filter { $0.key.center == center.number }.map { ($0.key.module, $0.value) }
                .first { error.message.hasPrefix(start(of: $0.0)) }
        }
        guard let (module, sentence) = own else { return error }
        return PealError(status: .start, message: start(of: module) + sentence)
    }

    /// How the sentence of the C interface begins.
    private static func start(of module: String) -> String { "module \(module) could not be started: " }
}

/// Kept as long as a module is registered: no sentence of it stays longer.
final class StepFailuresEnd {
    private let module: String
    private let center: peal_center

    init(_ module: String, in center: peal_center) {
        self.module = module
        self.center = center
    }

    deinit { StepFailures.remove(module, in: center) }
}
