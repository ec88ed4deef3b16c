internal import CPealSupport

/// Peal's own services of a center, made when a caller first looks for one. Their instance is the id of the center, so
/// no memory must be freed, and the end of the center is detected.
enum BuiltInServices {
    private typealias Count = @convention(c) (UnsafeMutableRawPointer?) -> Int
    private typealias State = @convention(c) (UnsafeMutableRawPointer?) -> Int32
    private typealias CountNamed = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Int
    private typealias AskNamed = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Bool

    /// The methods of a built-in service's protocol, as in the headers.
    static func methods(of proto: String) -> [String]? {
        switch proto {
        case "PealServiceCenter":
            [
                "required size_t count (void)", "required size_t count_created (void)",
                "required bool is_created (const char *name)",
            ]
        case "PealObserverCenter":
            [
                "required size_t count_protocols (void)", "required size_t count_observers (const char *protocol)",
                "required bool is_observed (const char *method)",
            ]
        case "PealLazyAgent": ["required size_t count_pending (void)"]
        case "PealModuleMediator": ["required size_t count (void)", "required int state (void)"]
        default: nil
        }
    }

    static func register(in center: Center) throws(Failure) {
        try register("peal.services", "PealServiceCenter", serviceCenter, in: center)
        try register("peal.observers", "PealObserverCenter", observerCenter, in: center)
        try register("peal.lazy", "PealLazyAgent", lazyAgent, in: center)
        try register("peal.modules", "PealModuleMediator", moduleMediator, in: center)
    }

    private static func register(
        _ name: String, _ proto: String, _ functions: [UInt], in center: Center
    ) throws(Failure) {
        try center.defineBuiltIn(proto)
        let table = [UInt(TableLayout.size(adoptedCount: 0, methodCount: functions.count))] + functions
        try text(name) { (name) throws(Failure) in
            guard try center.services.findKnown(name) == nil else { return }
            var description = ServiceDescription(name: name)
            description.isBuiltIn = true
            description.isPersistent = true
            description.context = UnsafeMutableRawPointer(bitPattern: UInt(center.id))
            try text(proto) { (proto) throws(Failure) in
                try table.withUnsafeBufferPointer { (words) throws(Failure) in
                    var provision = peal_provision(protocol: proto, table: words.baseAddress)
                    try withUnsafePointer(to: &provision) { (provision) throws(Failure) in
                        description.provisions = UnsafeBufferPointer(start: provision, count: 1)
                        _ = try Service.register(description, in: center.id)
                    }
                }
            }
        }
    }

    /// Runs `body` with the bytes of a text.
    private static func text(
        _ text: String, _ body: (UnsafePointer<CChar>) throws(Failure) -> Void
    ) throws(Failure) {
        try text.utf8CString.withUnsafeBufferPointer { (bytes) throws(Failure) in
            try body(bytes.baseAddress.unsafelyUnwrapped)
        }
    }

    private static func center(_ target: UnsafeMutableRawPointer?) -> Center? {
        Handles.centers.find(UInt64(UInt(bitPattern: target)))
    }

    private static func text(_ name: UnsafePointer<CChar>?) -> String {
        name.map { String(cString: $0) } ?? ""
    }

    private static func address<Function>(_ function: Function) -> UInt {
        unsafeBitCast(function, to: UInt.self)
    }

    private static var serviceCenter: [UInt] {
        let count: Count = { BuiltInServices.center($0)?.userServices.count ?? 0 }
        let countCreated: Count = { BuiltInServices.center($0)?.userServices.count(where: { $0.isCreated }) ?? 0 }
        let isCreated: AskNamed = { target, name in
            guard let center = BuiltInServices.center(target) else { return false }
            guard let name, let service = try? center.services.find(name) else { return false }
            return service.isCreated
        }
        return [address(count), address(countCreated), address(isCreated)]
    }

    private static var observerCenter: [UInt] {
        let countProtocols: Count = { BuiltInServices.center($0)?.protocolCount ?? 0 }
        let countObservers: CountNamed = { target, name in
            BuiltInServices.center(target)?.countObservers(of: BuiltInServices.text(name)) ?? 0
        }
        let isObserved: AskNamed = { target, name in
            BuiltInServices.center(target)?.isObserved(BuiltInServices.text(name)) ?? false
        }
        return [address(countProtocols), address(countObservers), address(isObserved)]
    }

    private static var lazyAgent: [UInt] {
        let countPending: Count = { BuiltInServices.center($0)?.pendingLazyObserverCount ?? 0 }
        return [address(countPending)]
    }

    private static var moduleMediator: [UInt] {
        let count: Count = { BuiltInServices.center($0)?.moduleCount ?? 0 }
        let state: State = { BuiltInServices.center($0)?.modulesState ?? 0 }
        return [address(count), address(state)]
    }
}
