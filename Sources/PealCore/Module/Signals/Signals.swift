internal import CPealSupport
import PealCall

/// The bound signals of the process. A signal has one binding, whichever the center.
public enum Signals {
    private static let bindings = Guarded<[Int32: SignalBinding]>([:])
    /// The queue of actions that are bound without a queue. It is made when it is first needed, and again in a child
    /// process.
    private static let ownQueue = Guarded<Queue?>(nil)

    /// The names of the signals that can be bound.
    private static let known: [Int32: String] = {
        let names = [
            (PEAL_SIGTERM, "SIGTERM"),
            (PEAL_SIGINT, "SIGINT"),
            (PEAL_SIGHUP, "SIGHUP"),
            (PEAL_SIGUSR1, "SIGUSR1"),
            (PEAL_SIGUSR2, "SIGUSR2"),
            (PEAL_SIGTSTP, "SIGTSTP"),
            (PEAL_SIGCONT, "SIGCONT"),
            (PEAL_SIGQUIT, "SIGQUIT"),
            (PEAL_SIGALRM, "SIGALRM"),
            (PEAL_SIGWINCH, "SIGWINCH"),
        ]
        return Dictionary(uniqueKeysWithValues: names.map { (Int32($0), $1) })
    }()

    static func find(_ signal: Int32) -> SignalBinding? {
        bindings.withLock { $0[signal] }
    }

    public static func bind(
        _ signal: Int32, to action: SignalAction, of center: Center, on queue: Queue?, timeout: UInt32
    ) throws(Failure) {
        guard let name = known[signal] else {
            throw Failure(
                .argument,
                "signal \(signal) cannot be bound; bind one of \(known.values.sorted().joined(separator: ", "))")
        }
        guard action != .background || signal == Int32(PEAL_SIGTSTP) else {
            throw Failure(
                .argument,
                "\(name) does not stop the process, as the background action does; bind SIGTSTP to that action")
        }
        try Executor.start()
        let queue = if let queue { queue } else { try makeOwnQueue() }
        let binding = try SignalBinding(center: center, signal: signal, action: action, queue: queue, timeout: timeout)
        let former = try bindings.withLock { (bindings) throws(Failure) -> SignalBinding? in
            guard !(bindings[signal]?.isOfThisProcess ?? false) else {
                throw Failure(.conflict, "\(name) is bound already; a signal has one binding in the process")
            }
            try take(signal, name, once: action == .terminate)
            return bindings.updateValue(binding, forKey: signal)
        }
        // The end of a binding needs the lock.
        withExtendedLifetime(former) {}
    }

    private static func makeOwnQueue() throws(Failure) -> Queue {
        if let known = ownQueue.withLock({ $0 }), !known.mailbox.pointee.is_left { return known }
        let made = try Queue.make(Queue.Options())
        return ownQueue.withLock { known in
            // Another thread may have made a queue meanwhile. The unused queue frees itself.
            if known.map({ $0.mailbox.pointee.is_left }) ?? true { known = made }
            return known ?? made
        }
    }

    /// Runs a function under the lock of the bindings. The function must not end a binding.
    static func locked<Result: Sendable>(_ body: (inout [Int32: SignalBinding]) -> Result) -> Result {
        bindings.withLock { body(&$0) }
    }

    private static func take(_ signal: Int32, _ name: String, once: Bool) throws(Failure) {
        switch peal_signal_install(signal, once, { Signals.find($0)?.arrive() }) {
        case PEAL_SIGNAL_INSTALLED: return
        case PEAL_SIGNAL_HAS_HANDLER:
            throw Failure(.conflict, "\(name) has a handler of the program; remove that handler first")
        default:
            throw Failure(.argument, "the system does not allow a handler for \(name)")
        }
    }

    public static func unbind(_ signal: Int32, of center: Center) throws(Failure) {
        let unbound = bindings.withLock { bindings -> SignalBinding? in
            guard bindings[signal]?.center === center else { return nil }
            peal_signal_restore(signal)
            return bindings.removeValue(forKey: signal)
        }
        guard unbound != nil else {
            throw Failure(.notFound, "\(known[signal] ?? "signal \(signal)") is not bound by this center")
        }
    }

    private static let usual: [(signal: Int32, action: SignalAction)] = [
        (Int32(PEAL_SIGTERM), .terminate), (Int32(PEAL_SIGINT), .terminate), (Int32(PEAL_SIGHUP), .reload),
        (Int32(PEAL_SIGTSTP), .background), (Int32(PEAL_SIGCONT), .foreground),
    ]

    /// Binds the usual signals, or none of them.
    public static func bindUsual(of center: Center, on queue: Queue?, timeout: UInt32) throws(Failure) {
        for (index, (signal, action)) in usual.enumerated() {
            do throws(Failure) {
                try bind(signal, to: action, of: center, on: queue, timeout: timeout)
            } catch {
                for (signal, _) in usual.prefix(index) { try? unbind(signal, of: center) }
                throw error
            }
        }
    }

    static func unbindAll(of center: Center) {
        for signal in known.keys { try? unbind(signal, of: center) }
    }
}
