public import CPeal
internal import PealCore

@c @implementation
public func peal_timer_create(
    _ options: UnsafePointer<peal_timer_options>?, _ out_timer: UnsafeMutablePointer<peal_timer>?
) -> peal_status {
    out_timer?.pointee = peal_timer(id: 0)
    do throws(Failure) {
        guard let out_timer else { throw .null("out_timer") }
        guard let options else { throw .null("options") }
        try Boundary.prepareMemory()
        out_timer.pointee = peal_timer(id: try Timer.labelled(options))
        return PEAL_OK
    } catch {
        options?.destroyTarget()
        return Boundary.fail(error)
    }
}

@c @implementation
public func peal_timer_start(_ timer: peal_timer) -> peal_status {
    Boundary.making { () throws(Failure) in try Timers.start(timer.id) }
}

@c @implementation
public func peal_timer_restart(_ timer: peal_timer, _ delay_ns: Int64, _ period_ns: Int64) -> peal_status {
    Boundary.making { () throws(Failure) in
        try Timers.restart(timer.id, Timer.Schedule(delay: delay_ns, period: period_ns))
    }
}

@c @implementation
public func peal_timer_stop(_ timer: peal_timer) -> peal_status {
    Boundary.status { () throws(Failure) in try Timers.stop(timer.id) }
}

@c @implementation
public func peal_timer_stop_and_wait(_ timer: peal_timer, _ timeout: UInt32) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        Boundary.waited(try Timer.stop(timer.id, timeout: timeout), SeenCall.reasonNotToWait(for: [timer.id]))
    }
}

@c @implementation
public func peal_timer_fire(_ timer: peal_timer) -> peal_status {
    Boundary.status { () throws(Failure) in try timer.find().fire() }
}

@c @implementation
public func peal_timer_destroy(_ timer: peal_timer) -> peal_status {
    Boundary.status { () throws(Failure) in try timer.find().end() }
}

@c @implementation
public func peal_timer_get_info(
    _ timer: peal_timer, _ out_facts: UnsafeMutablePointer<peal_timer_info>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let out_facts else { throw .null("out_facts") }
        var facts = try Boundary.options(out_facts, named: "the information about a timer", default: peal_timer_info())
        let timer = try timer.find()
        facts.fill(timer.facts)
        facts.queue = peal_queue(id: timer.queueId)
        facts.owner = peal_owner(id: timer.ownerId)
        withUnsafeMutableBytes(of: &facts.label) { Label.copy(of: timer.id, to: $0) }
        out_facts.pointee = facts
    }
}

extension peal_timer_info {
    fileprivate mutating func fill(_ facts: Timer.Facts) {
        is_running = facts.isRunning
        is_waiting = facts.isWaiting
        fired = facts.fired
        missed = facts.missed
        period_ns = facts.period
        remaining_ns = facts.remaining
        latest_ns = facts.latest
    }
}

extension UnsafePointer<peal_timer_options> {
    /// Calls the destroy callback. Options of a later version may be longer. The members of this version have the same
    /// offsets there.
    fileprivate func destroyTarget() {
        guard Boundary.size(of: self) >= MemoryLayout<peal_timer_options>.size else { return }
        pointee.destroy?(pointee.target)
    }
}

extension Timer {
    fileprivate static func labelled(_ options: UnsafePointer<peal_timer_options>) throws(Failure) -> UInt64 {
        let read = try Timer.Options(options)
        let label = try Boundary.label(options.pointee.label)
        let timer = try make(read)
        label.attach(to: timer.id) { Handles.timers.has($0) }
        return timer.id
    }
}

extension Timer.Options {
    fileprivate init(_ options: UnsafePointer<peal_timer_options>) throws(Failure) {
        let given = try Boundary.options(options, named: "the options of a timer", default: peal_timer_options())
        guard given.flags & ~UInt32(PEAL_TIMER_ONCE.rawValue) == 0 else {
            throw Failure(
                .argument,
                "the flags of a timer have bits that this library does not define; use those of enum peal_timer_flags")
        }
        self.init(
            try Action(given), target: given.target,
            schedule: Timer.Schedule(delay: given.delay_ns, period: given.period_ns))
        destroy = given.destroy
        repeats = given.flags & UInt32(PEAL_TIMER_ONCE.rawValue) == 0
        tolerance = given.tolerance_ns
        if given.queue.id != 0 { queue = try given.queue.find() }
        owner = try CurrentOwner.find(given.owner.id)
        weak = try WeakTarget(given.weak, given.weak_reference, given.reference, target: given.target)
    }
}

extension Timer.Options.Action {
    fileprivate init(_ options: peal_timer_options) throws(Failure) {
        guard options.method.id == 0 else {
            guard options.fire == nil else {
                throw Failure(.argument, "`fire` and `method` exclude each other; choose one")
            }
            self = .broadcast(try options.method.find())
            return
        }
        guard let fire = options.fire else {
            throw Failure(.argument, "a timer needs something to do; give it `fire`, a function, or `method`")
        }
        self = .call(fire)
    }
}
