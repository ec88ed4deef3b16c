import CTalk
import Peal
import Synchronization

// The functions that the program finds by name.

private let plugin = Mutex<Plugin?>(nil)

@c(talk_plugin_start)
public func start(_ center: peal_center) -> peal_status {
    do {
        let started = try Plugin(in: Center(borrowing: center))
        plugin.withLock { $0 = started }
        return PEAL_OK
    } catch {
        return peal_status(rawValue: error.status.rawValue)
    }
}

@c(talk_plugin_stop)
public func stop() {
    // The plugin ends when this function returns, outside the lock.
    let ended = plugin.withLock { current in
        defer { current = nil }
        return current
    }
    withExtendedLifetime(ended) {}
}
