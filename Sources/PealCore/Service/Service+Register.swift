internal import CPealSupport
import PealCall

extension Service {
    /// Registers a service.
    ///
    /// If this fails, the caller must release the context.
    ///
    /// - Returns: The id of the service.
    @_optimize(speed)
    public static func register(_ description: borrowing ServiceDescription, in center: UInt64) throws(Failure)
        -> UInt64
    {
        try description.check()
        // The record takes over the pin, which keeps the center until the service has ended.
        guard let pinned = Handles.centers.pin(center) else { throw .staleCenter }
        let (id, observed) = try pinned.with { (center) throws(Failure) in
            try center.makePermanent { () throws(Failure) in
                let record = try makeRecord(description, in: center)
                return try center.services.add(record, owner: description.owner)
            }
        }
        if let observed { ServiceEvents.registered(observed) }
        CreationMonitor.signal()
        return id
    }

    private static func makeRecord(
        _ description: borrowing ServiceDescription, in center: Center
    ) throws(Failure) -> ServiceMemory.Pointer {
        do throws(Failure) {
            // Peal's own protocols are in every center, even if no caller has looked for them yet.
            for provision in description.provisions where BuiltInProtocols.mayBe(provision.protocol) {
                try center.defineBuiltIn(String(cString: provision.protocol))
            }
            return try center.withState { (state) throws(Failure) in
                Made(record: try ServiceMemory.make(description, in: center, &state))
            }.record
        } catch {
            Handles.centers.unpin(center.id)
            throw error
        }
    }

    /// The record that is returned from under the lock. Unchecked: it has no other user yet.
    private struct Made: @unchecked Sendable {
        let record: ServiceMemory.Pointer
    }

    /// The protocols that it provides, by name.
    var protocols: [String] {
        (0..<Int(record.pointee.provided_count)).map {
            String(cString: (peal_record_provided(record) + $0).pointee.name)
        }
    }
}
