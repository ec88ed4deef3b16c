public import CPeal
internal import PealCore

@c @implementation
public func peal_proxy_create(
    _ proto: peal_protocol, _ options: UnsafePointer<peal_proxy_options>?,
    _ out_proxy: UnsafeMutablePointer<peal_proxy>?,
    _ out_self: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ out_table: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> peal_status {
    ProxyRequest.table(out_proxy, out_self, out_table) { () throws(Failure) in
        try Proxy.make(of: try proto.find(), for: try ProxyRequest.owner(options))
    }
}

@c @implementation
public func peal_proxy_create_for(
    _ proto: peal_protocol, _ target: UnsafeMutableRawPointer?, _ table: UnsafeRawPointer?,
    _ options: UnsafePointer<peal_proxy_options>?, _ out_proxy: UnsafeMutablePointer<peal_proxy>?,
    _ out_self: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ out_table: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> peal_status {
    ProxyRequest.table(out_proxy, out_self, out_table, destroying: target, options) { () throws(Failure) in
        let proto = try proto.find()
        guard let table else { throw .null("table") }
        return try Proxy.make(of: proto, reading: table, try ProxyRequest(options, target: target))
    }
}

@c @implementation
public func peal_closure_create(
    _ method: peal_method, _ options: UnsafePointer<peal_proxy_options>?,
    _ out_closure: UnsafeMutablePointer<peal_proxy>?, _ out_function: UnsafeMutablePointer<peal_function?>?
) -> peal_status {
    ProxyRequest.function(out_closure, out_function) { () throws(Failure) in
        try Proxy.makeBare(of: try method.find(), for: try ProxyRequest.owner(options))
    }
}

@c @implementation
public func peal_closure_create_for(
    _ center: peal_center, _ prototype: UnsafePointer<CChar>?, _ target: UnsafeMutableRawPointer?,
    _ function: peal_function?, _ options: UnsafePointer<peal_proxy_options>?,
    _ out_closure: UnsafeMutablePointer<peal_proxy>?, _ out_function: UnsafeMutablePointer<peal_function?>?
) -> peal_status {
    ProxyRequest.function(out_closure, out_function, destroying: target, options) { () throws(Failure) in
        let center = try center.find()
        let prototype = try CallerText.source(prototype, "prototype")
        guard let function else { throw .null("function") }
        let called = unsafeBitCast(function, to: UnsafeRawPointer.self)
        return try Proxy.makeBare(
            prototype, in: center, calling: called, try ProxyRequest(function: options, target: target))
    }
}

@c @implementation
public func peal_proxy_destroy(_ proxy: peal_proxy) -> peal_status {
    Boundary.status { () throws(Failure) in try Proxy.end(proxy.id) }
}

@c @implementation
public func peal_proxy_destroy_and_wait(_ proxy: peal_proxy, _ timeout: UInt32) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        Boundary.waited(try Proxy.end(proxy.id, timeout: timeout), SeenCall.reasonNotToWait(for: [proxy.id]))
    }
}

@c @implementation
public func peal_proxy_fail(_ status: peal_status, _ sentence: UnsafePointer<CChar>?) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let kind = Failure.Kind.allCases.first(where: { peal_status($0) == status }) else {
            throw Failure(.argument, "\(status.rawValue) is no failure; give a negative status of peal/status.h")
        }
        try ProxyStage.fail(Failure(kind, try CallerText.read(sentence, "sentence")))
    }
}

@c @implementation
public func peal_proxy_is_alive(_ proxy: peal_proxy) -> Bool {
    Handles.proxies.find(proxy.id)?.isAlive ?? false
}

extension ProxyRequest {
    typealias Options = UnsafePointer<peal_proxy_options>

    /// Makes a proxy, and stores its handle, its target and its table for the caller.
    fileprivate static func table(
        _ out_proxy: UnsafeMutablePointer<peal_proxy>?, _ out_self: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        _ out_table: UnsafeMutablePointer<UnsafeRawPointer?>?, destroying target: UnsafeMutableRawPointer? = nil,
        _ options: Options? = nil, _ make: () throws(Failure) -> Proxy.Made
    ) -> peal_status {
        out_self?.pointee = nil
        out_table?.pointee = nil
        return storeHandle(out_proxy, destroying: target, options) { () throws(Failure) in
            guard let out_self else { throw .null("out_self") }
            guard let out_table else { throw .null("out_table") }
            let made = try make()
            out_self.pointee = UnsafeMutableRawPointer(bitPattern: UInt(made.id))
            out_table.pointee = made.table
            return made.id
        }
    }

    /// Makes a bare function, and stores it and its handle for the caller.
    fileprivate static func function(
        _ out_closure: UnsafeMutablePointer<peal_proxy>?, _ out_function: UnsafeMutablePointer<peal_function?>?,
        destroying target: UnsafeMutableRawPointer? = nil, _ options: Options? = nil,
        _ make: () throws(Failure) -> Proxy.MadeBare
    ) -> peal_status {
        out_function?.pointee = nil
        return storeHandle(out_closure, destroying: target, options) { () throws(Failure) in
            guard let out_function else { throw .null("out_function") }
            let made = try make()
            out_function.pointee = unsafeBitCast(made.function, to: peal_function.self)
            return made.id
        }
    }

    /// Runs `make` and stores the handle. If `make` fails, calls the destroy callback, as the interface promises.
    private static func storeHandle(
        _ out_proxy: UnsafeMutablePointer<peal_proxy>?, destroying target: UnsafeMutableRawPointer?,
        _ options: Options?,
        _ make: () throws(Failure) -> UInt64
    ) -> peal_status {
        out_proxy?.pointee = peal_proxy(id: 0)
        // Options of a later version may be longer. The members of this version have the same offsets there.
        let isWhole = options.map { Boundary.size(of: $0) >= MemoryLayout<peal_proxy_options>.size } ?? false
        let destroy = isWhole ? options?.pointee.destroy : nil
        // A call through the proxy returns no status, so its failure is stored for the thread.
        ProxyFailures.report { _ = Boundary.fail($0) }
        do throws(Failure) {
            try Boundary.prepareMemory()
            let id = try make()
            out_proxy?.pointee = peal_proxy(id: id)
            return PEAL_OK
        } catch {
            destroy?(target)
            return Boundary.fail(error)
        }
    }

    private static func read(_ options: Options?) throws(Failure) -> peal_proxy_options {
        try Boundary.options(options, named: "the options of a proxy", default: peal_proxy_options())
    }

    /// The allowed options of a proxy that broadcasts.
    fileprivate static func owner(_ options: Options?) throws(Failure) -> Owner? {
        let given = try read(options)
        let isAlone =
            given.destroy == nil && given.weak == nil && given.weak_reference == nil && given.reference.id == 0
            && given.resolve == nil && given.redirect == nil && given.invoke == nil
        guard isAlone else {
            throw Failure(
                .argument,
                "a proxy that broadcasts has no target, and takes no option but `owner`; to call one target, use peal_proxy_create_for"
            )
        }
        return try CurrentOwner.find(given.owner.id)
    }

    fileprivate init(_ options: Options?, target: UnsafeMutableRawPointer?) throws(Failure) {
        let given = try Self.read(options)
        self.init()
        self.target = target
        destroy = given.destroy
        resolve = unsafeBitCast(given.resolve, to: Resolve?.self)
        redirect = unsafeBitCast(given.redirect, to: Redirect?.self)
        invoke = unsafeBitCast(given.invoke, to: Invoke?.self)
        owner = try CurrentOwner.find(given.owner.id)
        weak = try WeakTarget(given.weak, given.weak_reference, given.reference, target: target)
    }

    /// The options of a bare function, whose call has no stages.
    fileprivate init(function options: Options?, target: UnsafeMutableRawPointer?) throws(Failure) {
        let given = try Self.read(options)
        guard given.resolve == nil, given.redirect == nil, given.invoke == nil else {
            throw Failure(
                .argument,
                "a bare function has its one function, and no stages: leave `resolve`, `redirect` and `invoke` NULL")
        }
        try self.init(options, target: target)
    }
}
