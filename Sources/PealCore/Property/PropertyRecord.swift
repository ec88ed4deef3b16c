internal import CPealSupport
import PealCall

/// What `prior` and `recorded` are told. See `struct peal_change_record`.
enum PropertyRecord {
    /// How a record is kept for a queue; nil when memory was short when it was first asked for.
    static let hooks: TypeHooks? = {
        let hooks = try? TypeHooks.structure(copy: { peal_change_copy($0) }, destroy: { peal_change_destroy($0) })
        hooks?.register()
        return hooks
    }()
}
