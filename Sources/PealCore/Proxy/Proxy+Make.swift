internal import CPealSupport
import PealCall

extension Proxy {
    /// A proxy's id and its table.
    public typealias Made = (id: UInt64, table: UnsafeRawPointer)
    /// The id of a bare function's proxy, and the function.
    public typealias MadeBare = (id: UInt64, function: UnsafeRawPointer)

    /// A proxy whose calls are broadcasts.
    public static func make(of proto: PealProtocol, for owner: Owner?) throws(Failure) -> Made {
        let layout = try proto.layout()
        try layout.checkPolicies()
        var entries: [UnsafeRawPointer?] = []
        for (index, method) in layout.methods.enumerated() {
            entries.append(try MethodThunk.function(of: method.plan, index: index, method.title))
        }
        let table = try ProxyTable.make(of: proto, in: layout, entries)
        var cells: [peal_proxy_cell] = []
        for method in layout.methods { cells.append(method.proxyCell(broadcast: method.id, path: nil)) }
        let proxy = try insert(
            cells, title: proto.name, owner: owner, target: nil, broadcasts: .proto(proto), bare: nil)
        return (proxy.id, table)
    }

    /// A proxy whose calls go to one target.
    ///
    /// If this fails, the caller must run the destroy callback.
    public static func make(
        of proto: PealProtocol, reading table: UnsafeRawPointer, _ request: ProxyRequest
    ) throws(Failure) -> Made {
        let (layout, functions) = try proto.layout(reading: table)
        try layout.checkConformance(of: functions, of: proto, hasStages: request.hasStages)
        var entries: [UnsafeRawPointer?] = []
        var cells: [peal_proxy_cell] = []
        for (index, method) in layout.methods.enumerated() {
            let isForwarded = request.hasStages || functions[index] != nil
            entries.append(isForwarded ? try MethodThunk.function(of: method.plan, index: index, method.title) : nil)
            cells.append(method.proxyCell(broadcast: 0, path: try ProxyTable.path(layout.paths[index])))
        }
        let made = try ProxyTable.make(of: proto, in: layout, entries)
        let target = try ProxyTarget(request, functions: functions)
        let proxy = try insert(
            cells, title: proto.name, owner: request.owner, target: target, broadcasts: .nothing, bare: nil)
        return (proxy.id, made)
    }

    /// A bare function whose calls are broadcasts.
    public static func makeBare(of method: Method, for owner: Owner?) throws(Failure) -> MadeBare {
        try ProxyLayout.checkPolicy(of: method)
        let bare = try BareFunction.take(method.declaration.signature.callShape, method.plan, method.title)
        let cell = method.proxyCell(broadcast: method.id, path: nil)
        return try insert([cell], bare, title: method.title, owner: owner, target: nil, broadcasts: .method(method))
    }

    /// A bare function that calls another with a target.
    ///
    /// If this fails, the caller must run the destroy callback.
    public static func makeBare(
        _ prototype: String, in center: Center, calling function: UnsafeRawPointer, _ request: ProxyRequest
    ) throws(Failure) -> MadeBare {
        let signature = try center.signature(prototype)
        let title = "the function \(signature.name)"
        let plan: CallPlan.Pointer
        do throws(OutOfMemory) {
            plan = try CallPlanCache.plan(for: signature.callShape)
        } catch {
            throw .outOfMemory
        }
        let bare = try BareFunction.take(signature.callShape, plan, title)
        let target: ProxyTarget
        do throws(Failure) {
            target = try ProxyTarget(request, functions: [function])
        } catch {
            bare.recycle()
            throw error
        }
        let cell = peal_proxy_cell(broadcast: 0, method: 0, plan: plan, copying: nil, path: nil)
        return try insert([cell], bare, title: title, owner: request.owner, target: target, broadcasts: .nothing)
    }

    private static func insert(
        _ cells: [peal_proxy_cell], _ bare: BareFunction, title: String, owner: Owner?, target: ProxyTarget?,
        broadcasts: Broadcasts
    ) throws(Failure) -> MadeBare {
        guard let function = bare.function else { throw .outOfMemory }
        do throws(Failure) {
            let proxy = try insert(
                cells, title: title, owner: owner, target: target, broadcasts: broadcasts, bare: bare)
            bare.connect(to: proxy.id)
            return (proxy.id, function)
        } catch {
            bare.recycle()
            throw error
        }
    }

    private static func prepareElement(
        of id: UInt64, _ cells: [peal_proxy_cell]
    ) throws(Failure) -> UnsafeMutablePointer<peal_proxy_element> {
        peal_leaks_ignore_begin()
        defer { peal_leaks_ignore_end() }
        guard let element = peal_proxy_find(id), peal_proxy_reserve(element, UInt32(cells.count)) else {
            throw .outOfMemory
        }
        for (rank, cell) in cells.enumerated() { peal_proxy_fill(element, UInt32(rank), cell) }
        return element
    }

    /// Assigns an id and an element to a proxy.
    private static func insert(
        _ cells: [peal_proxy_cell], title: String, owner: Owner?, target: ProxyTarget?, broadcasts: Broadcasts,
        bare: BareFunction?
    ) throws(Failure) -> Proxy {
        let proxy: Proxy
        do throws(Failure) {
            proxy = try Handles.proxies.insert { (id) throws(Failure) in
                let element = try prepareElement(of: id, cells)
                target?.open(id)
                peal_proxy_open(element, id, broadcasts.protocolId, target?.list)
                return Proxy(
                    id: id, title: title, owner: owner, target: target, broadcasts: broadcasts, bare: bare)
            }
        } catch {
            target?.free()
            throw error
        }
        do throws(Failure) {
            try owner?.add(proxy)
        } catch {
            // The caller runs the destroy callback, so this claim prevents a second run.
            if let record = target?.record { _ = peal_observer_claim_destroy(record) }
            _ = try? end(proxy.id)
            throw error
        }
        return proxy
    }
}
