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
        for observation in Handles.observations.all { search.look(at: observation) }
        for queue in Handles.queues.all { search.look(at: queue) }
        for timer in Handles.timers.all { search.look(at: timer) }
        for hooks in TypeHooks.all { search.look(at: hooks) }
        for handle in Handles.completions.all where handle.role == .whole { search.look(at: handle.completion) }
        for center in Handles.centers.all {
            for module in center.mediator.withLock({ $0.mediator })?.all ?? [] {
                for (what, function) in module.pointers { search.check(function, what) }
            }
        }
        for service in Service.withFunctions { search.look(at: service) }
        for proxy in Handles.proxies.all { search.look(at: proxy) }
        return search.found
    }

    private init(object: UInt) {
        self.object = object
    }

    private mutating func look(at observation: Observation) {
        let record = observation.record
        let name = observation.proto.name
        if let handler = record.pointee.handler {
            check(unsafeBitCast(handler.pointee.function, to: UInt.self), "handler of an observer of \(name)")
        } else {
            for (method, function) in observation.functions { check(function, "observer of \(method.title)") }
        }
        check(address(record.pointee.destroy), "destroy callback of an observer of \(name)")
        check(address(record.pointee.retain), "retain function of a weak observer of \(name)")
        check(address(record.pointee.release), "release function of a weak observer of \(name)")
    }

    private mutating func look(at queue: Queue) {
        let (submit, destroy) = queue.mailbox.locked {
            (address(queue.mailbox.pointee.submit), address(queue.mailbox.pointee.destroy))
        }
        check(submit, "executor of a queue")
        check(destroy, "destroy callback of a queue")
    }

    private mutating func look(at timer: Timer) {
        check(address(timer.record.pointee.fire), "function of a timer")
        check(address(timer.observer.pointee.destroy), "destroy callback of a timer")
        check(address(timer.observer.pointee.retain), "retain function of a timer's weak target")
        check(address(timer.observer.pointee.release), "release function of a timer's weak target")
        extendLifetime(timer)
    }

    /// Functions of types count while they are registered, or will be called for a captured argument.
    private mutating func look(at hooks: TypeHooks) {
        guard hooks.isRegistered || hooks.outstanding > 0 else { return }
        check(address(hooks.table.pointee.retain), "retain function of a type")
        check(address(hooks.table.pointee.copy), "copy function of a type")
        check(unsafeBitCast(hooks.table.pointee.release, to: UInt.self), "release function of a type")
    }

    private mutating func look(at completion: Completion) {
        let (done, reply) = completion.functions
        check(address(done), "function of a completion")
        check(address(reply), "reply function of a gathering")
    }

    private mutating func look(at service: Service) {
        let record = service.record
        let name = service.name
        check(address(record.pointee.create), "create function of service \(name)")
        check(address(record.pointee.`init`), "init function of service \(name)")
        check(address(record.pointee.clear_data), "clear_data function of service \(name)")
        check(address(record.pointee.destroy), "destroy function of service \(name)")
        check(address(record.pointee.release), "release function of service \(name)")
        for (proto, words) in service.tables {
            for word in words { check(word, "table of service \(name) for \(proto)") }
        }
    }

    private mutating func look(at proxy: Proxy) {
        // Of one whose target was found dead nothing is called any more.
        guard let target = proxy.target, peal_gate_load(target.record.gate) & ObserverGate.removed == 0 else { return }
        for index in 0..<UInt64(target.memory.pointee.count) {
            check(address(peal_proxy_target_function(target.memory, index)), "function of a proxy of \(proxy.title)")
        }
        check(address(target.record.pointee.destroy), "destroy callback of a proxy of \(proxy.title)")
        check(address(target.record.pointee.retain), "retain function of a weak proxy of \(proxy.title)")
        check(address(target.record.pointee.release), "release function of a weak proxy of \(proxy.title)")
        check(address(target.memory.pointee.resolve), "resolve function of a proxy of \(proxy.title)")
        check(address(target.memory.pointee.redirect), "redirect function of a proxy of \(proxy.title)")
        check(address(target.memory.pointee.invoke), "invoke function of a proxy of \(proxy.title)")
    }

    private func address<Function>(_ function: Function?) -> UInt {
        function.map { unsafeBitCast($0, to: UInt.self) } ?? 0
    }

    private mutating func check(_ function: UInt, _ what: String) {
        guard function != 0, let pointer = UnsafeRawPointer(bitPattern: function), peal_object_base(pointer) == object
        else { return }
        found.append((what, function))
    }
}

extension Observation {
    /// The functions under which it is listed now.
    fileprivate var functions: [(Method, UInt)] {
        let listed = try? proto.center.withState { (_) throws(Failure) in
            methods.compactMap { method in
                method.entry(of: self.record).map { (method, unsafeBitCast($0.function, to: UInt.self)) }
            }
        }
        return listed ?? []
    }
}
