internal import CPealSupport
import PealCall

/// An object that has function pointers of the program, which peal may call.
protocol PointerHolder: AnyObject, Sendable {
    func addPointers(to search: inout PointerSearch)
}

extension PointerHolder {
    /// An object without functions of its own.
    func addPointers(to search: inout PointerSearch) {}
}

extension Handles {
    /// Visits the objects of all tables whose objects have function pointers.
    static func forEachPointerHolder(_ body: (any PointerHolder) -> Void) {
        func visit<Object: PointerHolder>(_ table: HandleTable<Object>) {
            for object in table.all { body(object) }
        }
        for observation in observations.all { body(observation) }
        for timer in timers.all { body(timer) }
        visit(centers)
        visit(queues)
        visit(completions)
        visit(modules)
        visit(services)
        visit(proxies)
    }
}

extension Center: PointerHolder {
    func addPointers(to search: inout PointerSearch) {
        for codec in codecs {
            search.add(address: codec.encode, "encode function of a type")
            search.add(address: codec.decode, "decode function of a type")
        }
    }
}

extension Queue {
    func addPointers(to search: inout PointerSearch) {
        search.add(peal_mailbox_executor_of(mailbox)?.pointee.submit, "executor of a queue")
        search.add(mailbox.pointee.destroy, "destroy callback of a queue")
    }
}

extension Timer {
    func addPointers(to search: inout PointerSearch) {
        search.add(observer, "a", "timer") { search in
            if !record.has(PEAL_TIMER_BROADCASTS) { search.add(record.action.fire, "function of a timer") }
        }
    }
}

extension CompletionHandle: PointerHolder {
    func addPointers(to search: inout PointerSearch) {
        if isWhole { completion.addPointers(to: &search) }
    }
}

extension Completion {
    func addPointers(to search: inout PointerSearch) {
        search.add(functions.done, "function of a completion")
        search.add(functions.reply, "reply function of a gathering")
    }
}

extension Module {
    func addPointers(to search: inout PointerSearch) {
        for (what, function) in pointers { search.add(address: function, what) }
    }
}

extension Service {
    func addPointers(to search: inout PointerSearch) {
        search.add(record.pointee.create, "create function of service \(name)")
        search.add(record.pointee.`init`, "init function of service \(name)")
        search.add(record.pointee.clear_data, "clear_data function of service \(name)")
        search.add(record.pointee.destroy, "destroy function of service \(name)")
        search.add(record.pointee.release, "release function of service \(name)")
        for (proto, words) in tables {
            for word in words { search.add(address: word, "table of service \(name) for \(proto)") }
        }
    }
}

extension Proxy {
    func addPointers(to search: inout PointerSearch) {
        guard let target else { return }
        search.add(target.record, "a", "proxy of \(title)") { search in
            for index in 0..<UInt64(target.memory.pointee.count) {
                search.add(peal_proxy_target_function(target.memory, index), "function of a proxy of \(title)")
            }
            search.add(target.memory.pointee.resolve, "resolve function of a proxy of \(title)")
            search.add(target.memory.pointee.redirect, "redirect function of a proxy of \(title)")
            search.add(target.memory.pointee.invoke, "invoke function of a proxy of \(title)")
        }
    }
}

extension TypeHooks {
    /// Adds the functions of a type while the type is registered, or while a captured argument needs them.
    func addPointers(to search: inout PointerSearch) {
        guard isRegistered || outstanding > 0 else { return }
        search.add(table.pointee.retain, "retain function of a type")
        search.add(table.pointee.copy, "copy function of a type")
        search.add(table.pointee.release, "release function of a type")
    }
}
