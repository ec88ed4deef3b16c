public import CPeal
internal import PealCore

@c @implementation
public func peal_completion_create(
    _ options: UnsafePointer<peal_completion_options>?, _ out_completion: UnsafeMutablePointer<peal_completion>?
) -> peal_status {
    out_completion?.pointee = peal_completion(id: 0)
    return Boundary.making { () throws(Failure) in
        guard let out_completion else { throw .null("out_completion") }
        let completion = try Completion.make(try Completion.Options(options))
        out_completion.pointee = peal_completion(id: completion.id)
    }
}

@c @implementation
public func peal_complete(_ token: peal_completion, _ result: Int64) -> peal_status {
    Boundary.status { () throws(Failure) in try Completion.answer(token.id, result) }
}

@c @implementation
public func peal_completion_release(_ token: peal_completion) -> peal_status {
    Boundary.status { () throws(Failure) in try Completion.answer(token.id, nil) }
}

@c @implementation
public func peal_completion_cancel(_ completion: peal_completion) -> peal_status {
    Boundary.status { () throws(Failure) in try Completion.cancel(completion.id) }
}

@c @implementation
public func peal_gather(
    _ method: peal_method, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ argument_count: Int,
    _ options: UnsafePointer<peal_gather_options>?, _ out_gathering: UnsafeMutablePointer<peal_completion>?
) -> peal_status {
    out_gathering?.pointee = peal_completion(id: 0)
    return Boundary.outcome { () throws(Failure) in
        try Boundary.prepareMemory()
        let (completion, outcome) = try Completion.gather(
            method.id, arguments: arguments, count: CallerSize.clamped(argument_count),
            try Completion.Options(options))
        if !outcome.isFailure { out_gathering?.pointee = peal_completion(id: completion.id) }
        return outcome == .done ? PEAL_OK : outcome.status()
    }
}

extension Completion.Options {
    fileprivate init(_ options: UnsafePointer<peal_completion_options>?) throws(Failure) {
        guard options != nil else { throw .null("options") }
        let given = try Boundary.options(
            options, named: "the options of a completion", default: peal_completion_options())
        try self.init(given.done, given.context, given.timeout)
        if given.queue.id != 0 { queue = try given.queue.find() }
        if given.policy != PEAL_POLICY_METHOD {
            guard let policy = BroadcastPolicy(rawValue: UInt8(clamping: given.policy.rawValue)),
                Self.folding.contains(policy)
            else {
                throw Failure(
                    .policy,
                    "a completion folds by LAST, SUM, MIN, MAX, ANY or EVERY; not by \(Int32(truncatingIfNeeded: given.policy.rawValue))"
                )
            }
            self.policy = policy
        }
    }

    fileprivate init(_ options: UnsafePointer<peal_gather_options>?) throws(Failure) {
        guard options != nil else { throw .null("options") }
        let given = try Boundary.options(options, named: "the options of a gathering", default: peal_gather_options())
        try self.init(given.done, given.context, given.timeout)
        guard given.queue.id != 0 else {
            throw Failure(
                .argument, "a gathering needs a queue, on which its functions run; make one with peal_queue_create")
        }
        queue = try given.queue.find()
        reply = given.reply.map { unsafeBitCast($0, to: Completion.Reply.self) }
        excepted = given.except.id
        origin = given.origin
    }

    private init(
        _ done: peal_completion_done?, _ context: UnsafeMutableRawPointer?, _ timeout: UInt32
    ) throws(Failure) {
        guard let done else { throw .null("done") }
        // The engine passes the info by an untyped pointer.
        self.init(done: unsafeBitCast(done, to: Completion.Done.self)) { end in
            switch end {
            case .answered: PEAL_OK.rawValue
            case .timedOut: PEAL_ERROR_TIMEOUT.rawValue
            case .cancelled: PEAL_ERROR_STATE.rawValue
            }
        }
        self.context = context
        self.timeout = timeout
        owner = try CurrentOwner.find(0)
    }

    private static var folding: [BroadcastPolicy] { [.last, .sum, .min, .max, .any, .every] }
}
