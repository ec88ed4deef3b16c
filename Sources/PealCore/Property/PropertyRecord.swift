internal import CPealSupport
import PealCall

/// What `prior` and `recorded` are told. See `struct peal_change_record`.
enum PropertyRecord {
    private static let made = Guarded<TypeHooks?>(nil)

    /// How a record is kept for a queue; nil where memory is short. The next use tries again.
    static var hooks: TypeHooks? {
        made.withLock { made in
            if made == nil, let hooks = try? TypeHooks.structure(copy: { peal_change_copy($0) }, destroy: { peal_change_destroy($0) }) {
                hooks.register()
                made = hooks
            }
            return made
        }
    }
}
