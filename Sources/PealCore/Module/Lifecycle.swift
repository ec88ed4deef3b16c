internal import CPealSupport
import PealCall

/// A center's life-cycle protocol.
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

    /// Broadcasts one that has no parameters.
    func broadcast(_ event: Method) {
        _ = Broadcast.send(event.number, arguments: nil, count: 0, request: BroadcastRequest(result: nil), calls: nil)
    }
}
