internal import CPealSupport

/// A call that runs now, on any thread: of an observer, of a timer's function, or through a proxy to its target.
public struct SeenCall: Sendable {
    public enum Kind: Sendable { case observer, timer, proxy }

    public let kind: Kind
    /// The method; 0 for a timer and a proxy.
    public let method: UInt64
    /// The handle of the observer, the timer or the proxy.
    public let id: UInt64
    /// The handle of the queue on which it is called; 0: none.
    public let queue: UInt64
    /// As gettid returns it.
    public let thread: UInt32
    /// The number of calls on the same thread in which this one is nested.
    public let depth: UInt32
    /// The call has run for at least this long, in nanoseconds: since a thread first looked and found it.
    public let age: UInt64
    /// True if it runs on the calling thread.
    public let isOwn: Bool

    private init(_ seen: peal_seen_call) {
        kind =
            switch UInt32(seen.kind) {
            case PEAL_SEEN_TIMER.rawValue: .timer
            case PEAL_SEEN_PROXY.rawValue: .proxy
            default: .observer
            }
        method = seen.method
        id = seen.id
        queue = seen.queue
        thread = seen.thread
        depth = seen.depth
        age = seen.age
        isOwn = seen.is_own
    }

    /// Looks at the calls of all threads, so that those that a later look finds again have an age. Needs no memory.
    static func note() {
        Reclaimer.keeping {
            var calls: UnsafePointer<peal_seen_call>?
            _ = peal_running_look(&calls)
        }
    }

    /// Looks at the calls of all threads. A call that a later look finds again has an age.
    public static func look() -> [SeenCall] {
        Reclaimer.keeping {
            var calls: UnsafePointer<peal_seen_call>?
            let count = peal_running_look(&calls)
            return UnsafeBufferPointer(start: calls, count: Int(count)).map { SeenCall($0) }
        }
    }
}

// ---- Sentences ----

extension SeenCall {
    /// What is called, such as: a call of Chat.on_message by the observer "log".
    private var subject: String {
        switch kind {
        case .timer: return "the function of a timer\(Self.label(of: id))"
        case .proxy: return "a call through a proxy"
        case .observer:
            let title = Handles.methods.find(method)?.title ?? "a method"
            return "a call of \(title) by an observer\(Self.label(of: id))"
        }
    }

    /// The whole fact: what runs, where, and for how long at least.
    var fact: String {
        let time = age > 0 ? " for at least \(Self.text(nanoseconds: age))" : ""
        return "\(subject) runs on thread \(thread)\(time)"
    }

    /// What runs on a thread: its innermost call of an observer, a timer or a proxy, or else a module's step.
    static func fact(onThread thread: UInt32) -> String {
        look().filter { $0.thread == thread }.max { $0.depth < $1.depth }?.fact
            ?? "a call of a module runs on thread \(thread)"
    }

    /// The sentence of PEAL_NOT_WAITED.
    ///
    /// - Parameter ids: The handles of the observers, timers and proxies that were waited for.
    public static func reasonNotToWait(for ids: [UInt64]) -> String {
        let calls = look().filter { ids.contains($0.id) }
        if let own = calls.first(where: { $0.isOwn }) {
            return
                "this is inside \(own.subject), which cannot be waited for here; call the function again when that call has returned, and keep its code loaded until then"
        }
        guard let call = calls.first else { return somethingIsInUse }
        return "\(call.fact); keep its code loaded, and call the function again when it has returned"
    }

    public static var somethingIsInUse: String {
        "something of it is still in use: a call of a module, a creation, a use or a scope of a service, or a call on a queue; keep its code loaded, and call the function again later"
    }

    public static var moduleIsInUse: String {
        "a start, a stop or an event of a module still runs, on this thread or on another one; keep the code of the modules loaded until their stop has returned"
    }

    public static var serviceIsInUse: String {
        "an instance is still used or being created; it is destroyed when its last use or scope has ended: keep its code loaded until then"
    }

    private static func label(of id: UInt64) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { room in
            guard let start = room.baseAddress else { return "" }
            peal_label_copy(id, start, room.count)
            return start.pointee == 0 ? "" : " \"\(String(cString: start))\""
        }
    }

    private static func text(nanoseconds: UInt64) -> String {
        let milliseconds = nanoseconds / 1_000_000
        return milliseconds < 1000
            ? "\(milliseconds) ms" : "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
    }
}

extension Observation {
    /// The sentence of a removal that did not wait.
    public static func reasonNotToWait(_ id: UInt64) -> String {
        SeenCall.reasonNotToWait(for: Handles.observations.findEvenRetired(id)?.called.map { $0.id } ?? [id])
    }
}

extension Owner {
    /// The sentence of a retirement that did not wait.
    public static func reasonNotToWait(_ id: UInt64) -> String {
        guard let owner = Handles.owners.findEvenRetired(id) else { return SeenCall.somethingIsInUse }
        let (observers, objects) = (owner.observers, owner.objects)
        let instances = observers.instances
        defer { extendLifetime(observers) }
        return SeenCall.reasonNotToWait(
            for: observers.records.map { $0.pointee.id } + instances.map { $0.id }
                + objects.compactMap { $0.keeper?.ownRecord?.pointee.id })
    }
}
