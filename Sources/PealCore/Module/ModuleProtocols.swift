internal import CPealSupport
import PealCall

/// The life-cycle protocol of a center.
struct Lifecycle: Sendable {
    static let name = "PealLifecycle"
    static let methods = [
        "optional void will_start(void)",
        "optional void did_start(void)",
        "optional void will_terminate(void)",
        "optional void will_resign_active(void)",
        "optional void did_become_active(void)",
        "optional void did_enter_background(void)",
        "optional void will_enter_foreground(void)",
        "optional void memory_warning(void)",
        "optional void configuration_reloaded(void)",
        "optional bool open_url(const char *url), first_true",
        "optional bool continue_activity(const char *type, const char *data), first_true",
        "optional void remote_notification(const char *payload, peal_completion done)",
    ]

    let proto: PealProtocol
    let willStart: Method
    let didStart: Method
    let willTerminate: Method
    let willResignActive: Method
    let didBecomeActive: Method
    let didEnterBackground: Method
    let willEnterForeground: Method
    let configurationReloaded: Method

    init(of center: Center) throws(Failure) {
        let (proto, methods) = try center.builtIn(Self.name)
        self.proto = proto
        willStart = methods[0]
        didStart = methods[1]
        willTerminate = methods[2]
        willResignActive = methods[3]
        didBecomeActive = methods[4]
        didEnterBackground = methods[5]
        willEnterForeground = methods[6]
        configurationReloaded = methods[8]
    }

    /// Broadcasts an event without parameters.
    func broadcast(_ event: Method) {
        _ = Broadcast.send(event.id, arguments: nil, count: 0, request: BroadcastRequest(result: nil), calls: nil)
    }
}

/// The protocol that notifies observers of the starts, stops and failures of modules, and of signals.
struct ModuleEvents: Sendable {
    static let name = "PealModules"
    static let methods = [
        "optional void module_started(const char *name, uint64_t nanoseconds)",
        "optional void module_stopped(const char *name, uint64_t nanoseconds)",
        "optional void module_failed(const char *name, const char *step, const char *message)",
        "optional void module_overdue(const char *name, const char *step, uint64_t nanoseconds)",
        "optional void signal_received(int signal)",
    ]

    private let started: Method
    private let stopped: Method
    private let failed: Method
    private let overdue: Method
    private let signal: Method

    init(of center: Center) throws(Failure) {
        let methods = try center.builtIn(Self.name).methods
        started = methods[0]
        stopped = methods[1]
        failed = methods[2]
        overdue = methods[3]
        signal = methods[4]
    }

    func notifyStarted(_ module: Module, took: UInt64) {
        module.name.withCString { send(started, [Self.word($0), took]) }
    }

    func notifyStopped(_ module: Module, took: UInt64) {
        module.name.withCString { send(stopped, [Self.word($0), took]) }
    }

    func notifyFailed(_ module: Module, _ kind: ModuleStep.Kind, _ sentence: String) {
        notifyFailed(module, kind.title, sentence)
    }

    func notifyFailed(_ module: Module, _ step: String, _ sentence: String) {
        module.name.withCString { name in
            step.withCString { step in
                sentence.withCString { send(failed, [Self.word(name), Self.word(step), Self.word($0)]) }
            }
        }
    }

    func notifyOverdue(_ module: Module, _ kind: ModuleStep.Kind, after took: UInt64) {
        module.name.withCString { name in
            kind.title.withCString { send(overdue, [Self.word(name), Self.word($0), took]) }
        }
    }

    func notifySignal(_ number: Int32) { send(signal, [UInt64(UInt32(bitPattern: number))]) }

    private static func word(_ text: UnsafePointer<CChar>) -> UInt64 { UInt64(UInt(bitPattern: text)) }

    /// Broadcasts a method whose arguments have a word each.
    private func send(_ method: Method, _ words: [UInt64]) {
        guard !peal_directory_is_empty(method.element) else { return }
        var words = words
        words.withUnsafeMutableBufferPointer { words in
            let base = words.baseAddress.map { UnsafeMutableRawPointer($0) }.unsafelyUnwrapped
            let arguments: [UnsafeMutableRawPointer?] = words.indices.map { base + 8 * $0 }
            arguments.withUnsafeBufferPointer { arguments in
                _ = Broadcast.send(
                    method.id, arguments: arguments.baseAddress, count: arguments.count,
                    request: BroadcastRequest(result: nil), calls: nil)
            }
        }
    }
}
