import CTalk
import Peal
import Synchronization

/// The plugin, from its start to its stop.
final class Plugin: Sendable {
    private let observation: ObserverToken

    init(in center: Center) throws(PealError) {
        let statistics = try center.register(
            Statistics.self, provides: [Provision("Statistics", Statistics.table)]
        ) { _ in Statistics() }
        let shouts = Atomic(Int32(0))
        observation = try center.observe(Chat.onMessage) { name, text in
            do throws(PealError) {
                print("Swift: \(try Plugin.fullName(of: name, in: center)) says: \(text)")
                try statistics.with { $0.add(text.split(separator: " ").count) }
                if text == text.uppercased() {
                    let warnings = shouts.add(1, ordering: .relaxed).newValue
                    try center.broadcast(Moderator.onWarning, name, warnings)
                }
            } catch {
                print("Swift: \(error)")
            }
        }
    }

    /// Calls the service of C.
    private static func fullName(of name: String, in center: Center) throws(PealError) -> String {
        let use = try center.anyService(providing: "Directory").use(of: "Directory", as: directory.self)
        return use.table.full_name(use.pointer, name).map { String(cString: $0) } ?? name
    }
}
