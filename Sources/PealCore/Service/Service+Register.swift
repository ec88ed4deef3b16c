internal import CPealSupport
import PealCall

extension Service {
    /// Registers a service.
    ///
    /// The context is the caller's to release when this fails.
    public static func register(_ description: ServiceDescription, in center: Center) throws(Failure) -> Service {
        try description.check()
        // Peal's own protocols are in every center, also where nobody has asked for them yet.
        for provision in description.provisions { try center.defineBuiltIn(provision.proto) }
        let made = try center.keepInState { (state) throws(Failure) in
            Registered(record: try ServiceMemory(description, in: state).make(in: center, state))
        }
        let service = try center.keepForGood { () throws(Failure) in
            try center.services.add(made.record, in: center, owner: description.owner)
        }
        ServiceEvents.registered(service)
        CreationMonitor.signal()
        return service
    }

    /// A record on its way. Unchecked: nobody else knows it.
    private struct Registered: @unchecked Sendable {
        let record: ServiceMemory.Pointer
    }

    /// The protocols that it provides, by name.
    var protocols: [String] {
        (0..<Int(record.pointee.provided_count)).map { String(cString: (peal_record_provided(record) + $0).pointee.name) }
    }
}
