import CHouse
import Glibc
import Peal

/// A loaded shared object, and the owner of its registrations.
struct Plugin {
    private let library: UnsafeMutableRawPointer
    private let owner: Owner

    init(path: String, in center: Center) throws(PealError) {
        guard let library = dlopen(path, RTLD_NOW) else { throw Plugin.failure("cannot be loaded") }
        guard let symbol = dlsym(library, "house_plugin_start") else { throw Plugin.failure("is no plugin") }
        let start = unsafeBitCast(symbol, to: house_plugin_start_function.self)
        self.library = library
        owner = try Owner("plugin")
        try check(owner.perform { start(center.handle) })
    }

    /// Ends everything that the plugin registered, and unloads the plugin if none of its code can run any more.
    ///
    /// - Returns: True if it was unloaded. False if a call of it still runs, so that it must stay loaded.
    func unload() throws(PealError) -> Bool {
        guard try owner.retireBlocking(timeout: .seconds(1)) == .complete else { return false }
        return dlclose(library) == 0
    }

    private static func failure(_ what: String) -> PealError {
        PealError(status: .argument, message: "the plugin \(what): \(String(cString: dlerror()))")
    }
}
