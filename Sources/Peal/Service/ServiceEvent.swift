/// What happened to a service: the built-in protocol `PealServices`, in Swift.
///
/// The C interface's `struct peal_service_events`.
public enum ServiceEvent: Hashable, Sendable {
    /// A service of this name was registered.
    case registered(String)
    /// Its registration has ended.
    case unregistered(String)
    /// Its instance was made, since `by` asked for it: `service NAME`, `module NAME`, `observer of PROTOCOL`,
    /// `owner NAME`, or `the program`.
    case created(String, by: String)
    /// Its instance was removed.
    case removed(String)
    /// Its instance could not be made; `message` is the sentence of the failure.
    case failed(String, message: String)
}
