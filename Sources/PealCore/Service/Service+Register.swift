internal import CPealSupport
import PealCall

extension Service {
    /// Registers a service.
    ///
    /// If this fails, the caller must release the context.
    public static func register(_ description: ServiceDescription, in center: Center) throws(Failure) -> Service {
        try description.check()
        // Peal's own protocols are in every center, even if no caller has looked for them yet.
        for provision in description.provisions where BuiltInProtocols.mayBe(provision.protocol) {
            try center.defineBuiltIn(String(cString: provision.protocol))
        }
        let made = try center.keepInState { (state) throws(Failure) in
            try ServiceMemory(description, in: center, state)
        }
        let service = try center.keepForGood { () throws(Failure) in
            try center.services.add(made, in: center, owner: description.owner)
        }
        ServiceEvents.registered(service)
        CreationMonitor.signal()
        return service
    }

    /// The protocols that it provides, by name.
    var protocols: [String] {
        (0..<Int(record.pointee.provided_count)).map { String(cString: (peal_record_provided(record) + $0).pointee.name) }
    }
}
