internal import CPealSupport

/// Notifies observers of the protocol PealServices. Costs little if there are none.
enum ServiceEvents {
    static let proto = "PealServices"
    static let methods = [
        "optional void service_registered (const char *name)",
        "optional void service_removed (const char *name)",
        "optional void service_created (const char *name, const char *by)",
        "optional void service_instance_removed (const char *name)",
        "optional void service_failed (const char *name, const char *message)",
    ]

    static func registered(_ service: Service) { notify(0, service) }
    static func unregistered(_ service: Service) { notify(1, service) }
    static func created(_ service: Service, by requester: String) { notify(2, service, requester) }
    /// The caller must have a use of the instance.
    @inline(__always)
    static func created(_ service: Service, _ use: ServiceUse) {
        if _slowPath(service.book.with { $0.hasEvents }), let instance = Instance(use.id) {
            notifySlow(2, service, instance.createdBy)
        }
    }
    static func removed(_ service: Service) { notify(3, service) }
    static func failed(_ service: Service, _ message: String) { notify(4, service, message) }

    @inline(__always)
    private static func notify(_ index: Int, _ service: Service, _ text: String? = nil) {
        if _slowPath(service.book.with { $0.hasEvents }) { notifySlow(index, service, text) }
    }

    @inline(never)
    private static func notifySlow(_ index: Int, _ service: Service, _ text: String?) {
        // No caller registers or ends peal's own.
        guard !service.record.pointee.is_built_in else { return }
        BuiltInProtocols.notify(proto, index, in: service.center) { () in [service.name] + (text.map { [$0] } ?? []) }
    }
}
