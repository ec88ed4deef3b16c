internal import CPealSupport
import PealCall

/// Lookups by name without a lock. A name that the slow path has found once is in a table of hashes. The names in the
/// method's element verify the result of a hash, and a hazard slot protects these names meanwhile.
///
/// The first method of a protocol represents the protocol. A protocol without methods is found by the slow path.
public enum MethodNames {
    private static let writers = Guarded(())

    /// - Returns: The id of the method, or nil if the slow path is needed.
    @_optimize(speed)
    public static func find(_ name: UnsafePointer<CChar>, of proto: UInt64) -> UInt64? {
        let id = peal_names_hint(peal_names_of_methods(), peal_name_hash(proto, name))
        return withNames(of: id) { names in
            names.pointee.protocol == proto && strcmp(peal_method_names_own(names), name) == 0 ? id : nil
        }
    }

    /// - Returns: The id of the protocol, or nil if the slow path is needed.
    @_optimize(speed)
    public static func findProtocol(_ name: UnsafePointer<CChar>, in center: UInt64) -> UInt64? {
        let id = peal_names_hint(peal_names_of_methods(), peal_name_hash(center, name))
        return withNames(of: id) { names in
            names.pointee.center == center && strcmp(names.pointee.protocol_name, name) == 0
                ? names.pointee.protocol : nil
        }
    }

    @inline(__always)
    private static func withNames(
        of id: UInt64, _ body: (UnsafePointer<peal_method_names>) -> UInt64?
    ) -> UInt64? {
        guard id != 0, let element = peal_directory_find(id),
            let hazard = peal_hazard_outermost() ?? peal_hazard_occupy()
        else { return nil }
        // The id is tested first: only then are the names the method's.
        let found = peal_hazard_element(hazard, element, id) ? peal_directory_names(element).flatMap { body($0) } : nil
        Broadcast.release(hazard)
        return found
    }

    /// Lets lookups find a method by its own name. The caller must hold the center's lock, so the name means this method.
    static func add(_ method: Method) {
        guard let names = names(of: method) else { return }
        add(method.id, peal_name_hash(names.pointee.protocol, peal_method_names_own(names)))
    }

    /// Lets lookups find a protocol by its name. The caller must hold the center's lock.
    static func add(_ proto: PealProtocol) {
        guard let method = proto.state.all.first, let names = names(of: method) else { return }
        add(method.id, peal_name_hash(names.pointee.center, names.pointee.protocol_name))
    }

    /// Returns the names of a method, which are made at the first lookup. Without memory for them, lookups take the
    /// slow path.
    private static func names(of method: Method) -> UnsafeMutablePointer<peal_method_names>? {
        if let names = peal_directory_names(method.element) { return names }
        let owner = method.owner
        let names = peal_method_names_make(owner.center.id, owner.id, owner.name, method.name)
        peal_directory_set_names(method.element, names)
        return names
    }

    /// Frees the names of a closed method, which no reader protects. No other method uses its element yet.
    static func free(_ id: UInt64) {
        guard let element = peal_directory_find(id) else { return }
        peal_memory_free(peal_directory_names(element))
        peal_directory_set_names(element, nil)
    }

    private static func add(_ id: UInt64, _ hash: UInt64) {
        writers.withLock { _ in
            var cursor: UInt64 = 0
            while true {
                let known = peal_names_next(peal_names_of_methods(), hash, &cursor)
                if known == id { return }
                if known == 0 { break }
            }
            _ = peal_names_add(peal_names_of_methods(), hash, id)
        }
    }

    /// Removes a method that is about to close, so that no lookup finds the method or, by this method, its protocol.
    /// The caller must hold the center's lock.
    static func remove(_ method: Method) {
        // A method without names was never added.
        guard let names = peal_directory_names(method.element) else { return }
        writers.withLock { _ in
            let table = peal_names_of_methods()
            peal_names_remove(
                table, peal_name_hash(names.pointee.protocol, peal_method_names_own(names)), method.id)
            peal_names_remove(table, peal_name_hash(names.pointee.center, names.pointee.protocol_name), method.id)
        }
    }
}
