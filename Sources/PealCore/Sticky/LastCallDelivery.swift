internal import CPealSupport
import PealCall

/// The delivery of last calls to an observer that was just registered. The registering thread makes it.
/// An object, so that the outcome of a registration has one word for it.
final class LastCallDelivery: Sendable {
    private let observation: Observation
    private let methods: [Method]

    /// Opens the delivery. The caller must hold the center's lock, and publish the observer afterwards.
    init(to observation: Observation, of methods: [Method]) {
        self.observation = observation
        self.methods = methods
        for method in methods { method.lastCalls?.open(for: .init(of: observation)) }
    }

    /// Delivers the last calls, and those of broadcasts that find the delivery open. No lock may be held.
    func run() {
        for method in methods {
            while let block = method.lastCalls?.next(for: .init(of: observation)) {
                // Arguments that were captured can be passed; a refused call is counted as one that its queue dropped.
                _ = try? block.withArguments { (arguments) throws(Failure) in
                    observation.deliver(method, UnsafePointer(arguments))
                }
            }
        }
    }
}
