internal import CPealSupport
import PealCall

/// Finds the function pointers into a loaded object that are still registered, before it is unloaded.
public struct PointerSearch {
    /// One that was found, with what it is for.
    public typealias Found = (what: String, function: UInt)

    private let object: UInt
    private var found: [Found] = []

    /// - Parameter address: Any address in the object.
    public static func run(_ address: UnsafeRawPointer) throws(Failure) -> [Found] {
        let object = peal_object_base(address)
        guard object != 0 else {
            throw Failure(.notFound, "no loaded object has this address; give that of one of its functions")
        }
        var search = PointerSearch(object: object)
        // What was ended stays in its table until the last of its functions has returned.
        for observation in Handles.observations.all { search.look(at: observation) }
        for queue in Handles.queues.all { search.look(at: queue) }
        for timer in Handles.timers.all { search.look(at: timer) }
        for hooks in TypeHooks.all { search.look(at: hooks) }
        for handle in Handles.completions.all where handle.role == .whole { search.look(at: handle.completion) }
        for module in Handles.modules.all {
            for (what, function) in module.pointers { search.check(function, what) }
        }
        for service in Handles.services.all { search.look(at: service) }
        for proxy in Handles.proxies.all { search.look(at: proxy) }
        for destroy in Reference.destroyCallbacks { search.check(word(destroy), "destroy callback of a counted object") }
        return search.found
    }

    private init(object: UInt) {
        self.object = object
    }

    private mutating func look(at observation: Observation) {
        look(at: observation.record, "an", "observer of \(observation.proto.name)") { search, record in
            if let handler = record.pointee.handler {
                search.check(word(handler.pointee.function), "handler of an observer of \(observation.proto.name)")
            } else {
                for (method, function) in observation.functions { search.check(function, "observer of \(method.title)") }
            }
        }
        extendLifetime(observation)
    }

    /// What is called as observers are: its functions, while calls may begin or one runs; its destroy callback,
    /// until that has returned.
    private mutating func look(
        at record: UnsafeMutablePointer<ObserverRecord>, _ article: String, _ kind: String,
        functions: (inout PointerSearch, UnsafeMutablePointer<ObserverRecord>) -> Void
    ) {
        guard !peal_observer_is_quiet(record) else { return }
        let isDestroyed = peal_observer_is_destroyed(record)
        let isRemoved = peal_gate_load(record.gate) & ObserverGate.removed != 0
        // A thread that has begun its next broadcast names the observer of its last call until it calls another.
        let isRunning = isRemoved && !RunningCalls.wait(for: [record], deadline: peal_clock_deadline(10))
        if !isRemoved || isRunning {
            functions(&self, record)
            check(word(record.pointee.retain), "retain function of a weak \(kind)")
            check(word(record.pointee.release), "release function of a weak \(kind)")
        }
        if !isDestroyed || isRunning { check(word(record.pointee.destroy), "destroy callback of \(article) \(kind)") }
    }

    private mutating func look(at queue: Queue) {
        check(word(queue.mailbox.pointee.submit), "executor of a queue")
        check(word(queue.mailbox.pointee.destroy), "destroy callback of a queue")
        extendLifetime(queue)
    }

    private mutating func look(at timer: Timer) {
        look(at: timer.observer, "a", "timer") { search, _ in
            search.check(word(timer.record.pointee.fire), "function of a timer")
        }
        extendLifetime(timer)
    }

    /// Functions of types count while they are registered, or will be called for a captured argument.
    private mutating func look(at hooks: TypeHooks) {
        guard hooks.isRegistered || hooks.outstanding > 0 else { return }
        check(word(hooks.table.pointee.retain), "retain function of a type")
        check(word(hooks.table.pointee.copy), "copy function of a type")
        check(unsafeBitCast(hooks.table.pointee.release, to: UInt.self), "release function of a type")
    }

    private mutating func look(at completion: Completion) {
        let (done, reply) = completion.functions
        check(word(done), "function of a completion")
        check(word(reply), "reply function of a gathering")
    }

    private mutating func look(at service: Service) {
        let record = service.record
        let name = service.name
        check(word(record.pointee.create), "create function of service \(name)")
        check(word(record.pointee.`init`), "init function of service \(name)")
        check(word(record.pointee.clear_data), "clear_data function of service \(name)")
        check(word(record.pointee.destroy), "destroy function of service \(name)")
        check(word(record.pointee.release), "release function of service \(name)")
        for (proto, words) in service.tables {
            for word in words { check(word, "table of service \(name) for \(proto)") }
        }
    }

    private mutating func look(at proxy: Proxy) {
        guard let target = proxy.target else { return }
        look(at: target.record, "a", "proxy of \(proxy.title)") { search, _ in
            for index in 0..<UInt64(target.memory.pointee.count) {
                search.check(word(peal_proxy_target_function(target.memory, index)), "function of a proxy of \(proxy.title)")
            }
            search.check(word(target.memory.pointee.resolve), "resolve function of a proxy of \(proxy.title)")
            search.check(word(target.memory.pointee.redirect), "redirect function of a proxy of \(proxy.title)")
            search.check(word(target.memory.pointee.invoke), "invoke function of a proxy of \(proxy.title)")
        }
        extendLifetime(proxy)
    }

    private mutating func check(_ function: UInt, _ what: String) {
        guard function != 0, let pointer = UnsafeRawPointer(bitPattern: function), peal_object_base(pointer) == object
        else { return }
        found.append((what, function))
    }
}

private func word<Function>(_ function: Function?) -> UInt {
    function.map { unsafeBitCast($0, to: UInt.self) } ?? 0
}

extension Observation {
    /// The functions for its methods, from the copies of its tables.
    fileprivate var functions: [(Method, UInt)] {
        let tables = tables
        return methods.compactMap { method in
            let offset = TableLayout.methodOffset(method.rank, adoptedCount: method.origin.adopted.count)
            return tables[method.origin].map { (method, $0.load(fromByteOffset: offset, as: UInt.self)) }
        }
    }

    /// The first copy follows the record; each leads to those of the adopted protocols.
    private var tables: [PealProtocol: UnsafeRawPointer] {
        let first = UnsafeRawPointer(record) + MemoryLayout<ObserverRecord>.size.roundedUp(to: TableLayout.word)
        var tables: [PealProtocol: UnsafeRawPointer] = [:]
        var unread = [(proto, first)]
        while let (proto, table) = unread.popLast() {
            guard tables.updateValue(table, forKey: proto) == nil else { continue }
            for (index, adopted) in proto.adopted.enumerated() {
                let offset = TableLayout.adoptedOffset(index)
                table.load(fromByteOffset: offset, as: UnsafeRawPointer?.self).map { unread.append((adopted, $0)) }
            }
        }
        return tables
    }
}
