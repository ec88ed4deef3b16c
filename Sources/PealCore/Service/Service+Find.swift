internal import CPealSupport
import PealCall

extension Service {
    /// Adds a use of a service that is found by the id of its center.
    ///
    /// - Parameter hash: That of the name in the center.
    /// - Returns: Nil if `find` is needed, which makes peal's own services and reports failures.
    public static func useKnown(
        _ name: UnsafePointer<CChar>, _ hash: UInt64, in center: UInt64
    ) throws(Failure) -> ServiceUse? {
        if let use = useReadyMade(name, hash, in: center) { return use }
        return try ServiceNames.find(name, hash, in: center)?.use()
    }

    /// - Throws: `.notFound`, with similar names.
    public static func find(_ name: UnsafePointer<CChar>, in center: Center) throws(Failure) -> Service {
        if let found = try center.services.find(name) { return found }
        let name = String(cString: name)
        let book = center.services
        let near = NearestName.find(name, among: book.count, in: book.all.map { $0.name })
        let hint = near.map { "; did you mean \($0)?" } ?? "; register it first"
        let failure = Failure(.notFound, "there is no service \(name) in this center\(hint)")
        Creation.note(failure)
        throw failure
    }

    /// The service that provides a protocol.
    public static func find(providing proto: String, in center: Center) throws(Failure) -> Service {
        let (id, count) = try center.services.provider(of: proto, in: center)
        if count == 1, let service = Handles.services.find(id) { return service }
        guard count > 1 else {
            throw Failure(.notFound, "no service in this center provides \(proto); register one that does")
        }
        let names = center.services.all.lazy.filter { $0.provides(proto) }.prefix(8).map { $0.name }
        throw Failure(
            .ambiguous,
            "\(count) services provide \(proto): \(CenterState.list(names.sorted()))\(count > 8 ? ", …" : ""); get the one that you want by its name"
        )
    }

    /// Finds a service by a name in a Swift string.
    static func find(_ name: String, in center: Center) throws(Failure) -> Service {
        try name.utf8CString.withUnsafeBufferPointer { (bytes) throws(Failure) in
            try find(bytes.baseAddress.unsafelyUnwrapped, in: center)
        }
    }

    func provides(_ proto: String) -> Bool {
        peal_record_find_named(record, proto) != nil
    }

    /// Waits until a service of a name is registered.
    public static func wait(
        for name: UnsafePointer<CChar>, in center: Center, timeout: UInt32
    ) throws(Failure) -> Service {
        let deadline = peal_clock_deadline(timeout)
        if let known = try center.services.find(name) { return known }
        var found: Service?
        var failure: Failure?
        let isOver = CreationMonitor.wait(until: deadline) {
            do throws(Failure) { found = try center.services.findKnown(name) } catch { failure = error }
            return found != nil || failure != nil
        }
        if let failure { throw failure }
        guard isOver, let found else {
            throw Failure(.timeout, "no service \(String(cString: name)) was registered within \(timeout) ms")
        }
        return found
    }
}
