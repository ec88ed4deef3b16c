/// The protocols that every center has by itself. Each is defined when somebody first asks for it, with
/// the texts of the headers: who defines them by the headers' macros finds the same.
enum BuiltInProtocol {
    static let lifecycle = describe(
        "PealLifecycle",
        [
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
        ])

    static let moduleEvents = describe(
        "PealModules",
        [
            "optional void module_started(const char *name, uint64_t nanoseconds)",
            "optional void module_stopped(const char *name, uint64_t nanoseconds)",
            "optional void module_failed(const char *name, const char *step, const char *message)",
            "optional void module_overdue(const char *name, const char *step, uint64_t nanoseconds)",
            "optional void signal_received(int signal)",
        ])

    static func find(_ name: String) -> ProtocolDescription? {
        switch name {
        case lifecycle.name: lifecycle
        case moduleEvents.name: moduleEvents
        default: nil
        }
    }

    private static func describe(_ name: String, _ methods: [String]) -> ProtocolDescription {
        ProtocolDescription(name: name, methods: methods.map { .text($0) })
    }
}
