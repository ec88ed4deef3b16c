internal import CPealSupport
import PealCall

extension Service {
    /// Registers a service.
    ///
    /// If this fails, the caller must release the context.
    public static func register(_ description: borrowing ServiceDescription, in center: Center) throws(Failure)
        -> Service
    {
        try description.check()
        // Peal's own protocols are in every center, even if no caller has looked for them yet.
        for provision in description.provisions where BuiltInProtocols.mayBe(provision.protocol) {
            try center.defineBuiltIn(String(cString: provision.protocol))
        }
        let service = try center.makePermanent { () throws(Failure) in
            let record = try center.withState { (state) throws(Failure) in
                Made(record: try ServiceMemory.make(description, in: center, &state))
            }.record
            return try center.services.add(record, in: center, owner: description.owner)
        }
        ServiceEvents.registered(service)
        CreationMonitor.signal()
        return service
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
