public import CPeal
internal import PealCore

@c @implementation
public func peal_queue_create(
    _ options: UnsafePointer<peal_queue_options>?, _ out_queue: UnsafeMutablePointer<peal_queue>?
) -> peal_status {
    out_queue?.pointee = peal_queue(id: 0)
    do throws(Failure) {
        guard let out_queue else { throw .null("out_queue") }
        try Boundary.prepareMemory()
        out_queue.pointee = peal_queue(id: try Queue.labelled(options))
        return PEAL_OK
    } catch {
        // Options of a later version may be longer. The members of this version have the same offsets there.
        if let options, Boundary.size(of: options) >= MemoryLayout<peal_queue_options>.size {
            options.pointee.destroy?(options.pointee.context)
        }
        return Boundary.fail(error)
    }
}

@c @implementation
public func peal_queue_main() -> peal_queue {
    peal_queue(id: Queue.main?.id ?? 0)
}

@c @implementation
public func peal_queue_destroy(_ queue: peal_queue) -> peal_status {
    Boundary.status { () throws(Failure) in try queue.find().end() }
}

@c @implementation
public func peal_queue_pump(
    _ queue: peal_queue, _ limit: Int, _ out_calls: UnsafeMutablePointer<Int>?
) -> peal_status {
    out_calls?.pointee = 0
    return Boundary.status { () throws(Failure) in
        let calls = try queue.find().pump(limit: CallerSize.clamped(limit))
        out_calls?.pointee = calls
    }
}

@c @implementation
public func peal_queue_descriptor(
    _ queue: peal_queue, _ out_descriptor: UnsafeMutablePointer<Int32>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let out_descriptor else { throw .null("out_descriptor") }
        out_descriptor.pointee = -1
        out_descriptor.pointee = try queue.find().descriptor()
    }
}

@c @implementation
public func peal_queue_run(_ queue: peal_queue) -> peal_status {
    Boundary.status { () throws(Failure) in try queue.find().runSubmitted() }
}

@c @implementation
public func peal_queue_pause(_ queue: peal_queue) -> peal_status {
    Boundary.status { () throws(Failure) in try queue.find().pause() }
}

@c @implementation
public func peal_queue_resume(_ queue: peal_queue) -> peal_status {
    Boundary.status { () throws(Failure) in try queue.find().resume() }
}

@c @implementation
public func peal_queue_flush(_ queue: peal_queue, _ timeout: UInt32) -> peal_status {
    Boundary.status { () throws(Failure) in try queue.find().flush(timeout: timeout) }
}

@c @implementation
public func peal_queue_is_current(_ queue: peal_queue) -> Bool {
    Handles.queues.find(queue.id)?.isCurrent ?? false
}

@c @implementation
public func peal_queue_get_info(
    _ queue: peal_queue, _ out_counts: UnsafeMutablePointer<peal_queue_info>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let out_counts else { throw .null("out_counts") }
        var counts = try Boundary.options(
            out_counts, named: "the information about a queue", default: peal_queue_info())
        let queue = try queue.find()
        let read = queue.counts
        counts.waiting = read.waiting
        counts.delivered = read.delivered
        counts.dropped = read.dropped
        counts.rejected = read.rejected
        counts.set(queue.settings, of: queue)
        out_counts.pointee = counts
    }
}

extension peal_queue_info {
    fileprivate mutating func set(_ settings: Queue.Settings, of queue: Queue) {
        withUnsafeMutableBytes(of: &label) { Label.copy(of: queue.id, to: $0) }
        kind = peal_queue_kind(rawValue: settings.kind.rawValue)
        overflow = peal_overflow(rawValue: settings.overflow)
        capacity = settings.capacity
        owner = peal_owner(id: settings.owner)
    }
}

extension Queue {
    fileprivate static func labelled(_ options: UnsafePointer<peal_queue_options>?) throws(Failure) -> UInt64 {
        let read = try Queue.Options(options)
        let label = try Boundary.label(options?.pointee.label)
        let queue = try make(read)
        label.attach(to: queue.id) { Handles.queues.has($0) }
        return queue.id
    }
}

extension Queue.Options {
    fileprivate init(_ options: UnsafePointer<peal_queue_options>?) throws(Failure) {
        self.init()
        let given = try Boundary.options(options, named: "the options of a queue", default: peal_queue_options())
        owner = try CurrentOwner.find(given.owner.id)
        guard let kind = Queue.Kind(rawValue: given.kind.rawValue), kind != .main else {
            throw Failure(
                .argument,
                "\(Int32(truncatingIfNeeded: given.kind.rawValue)) is no kind of queue; use those of enum peal_queue_kind"
            )
        }
        guard let overflow = Overflow(rawValue: given.overflow.rawValue) else {
            throw Failure(
                .argument,
                "\(Int32(truncatingIfNeeded: given.overflow.rawValue)) is no overflow rule; use those of enum peal_overflow"
            )
        }
        guard kind != .executor || given.submit != nil else { throw .null("submit, which an executor needs,") }
        if let name = given.name {
            guard name.pointee != 0 else {
                throw Failure(.argument, "the name of a queue is empty; NULL means that it has none")
            }
            guard kind == .serial else {
                throw Failure(.argument, "only a serial queue has a name, for its thread; leave `name` NULL")
            }
            try Boundary.checkName(name, "the name of a queue")
            self.name = name
        }
        self.kind = kind
        self.overflow = overflow
        capacity = CallerSize.clamped(given.capacity)
        wait = given.wait
        context = given.context
        destroy = given.destroy
        if let submit = given.submit { self.submit = unsafeBitCast(submit, to: Submit.self) }
    }
}
