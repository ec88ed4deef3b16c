public import CPeal
internal import CPealSupport
internal import PealCore

@c @implementation
public func peal_call_get_current(_ out_info: UnsafeMutablePointer<peal_call_info>?) -> peal_status {
    Boundary.fill(out_info, "the information about a call", peal_call_info()) { (info) throws(Failure) in
        let call = try RunningCall.current()
        info.method = peal_method(id: call.method.id)
        info.observation = peal_observation(id: call.observation)
        info.center = peal_center(id: call.method.owner.center.id)
        info.origin = call.origin
        info.broadcast = call.broadcast
        info.enqueued_at = call.enqueuedAt
        info.deadline = call.deadline
    }
}

@c @implementation
public func peal_call_visit_running(
    _ visit: peal_running_call_visitor?, _ context: UnsafeMutableRawPointer?, _ out_count: UnsafeMutablePointer<Int>?
) -> peal_status {
    let calls = SeenCall.look()
    out_count?.pointee = calls.count
    for call in calls {
        var info = peal_running_call_info(call)
        visit?(context, &info)
    }
    return PEAL_OK
}

extension peal_running_call_info {
    fileprivate init(_ call: SeenCall) {
        self.init()
        size = MemoryLayout<Self>.size
        switch call.kind {
        case .observer: observation = peal_observation(id: call.id)
        case .timer: timer = peal_timer(id: call.id)
        case .proxy: proxy = peal_proxy(id: call.id)
        }
        method = peal_method(id: call.method)
        queue = peal_queue(id: call.queue)
        thread = call.thread
        depth = call.depth
        running_ns = call.age
    }
}

@c @implementation
public func peal_call_abstain(_ call: UnsafePointer<peal_call>?) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard call != nil else { throw .null("call") }
        try RunningCall.abstain()
    }
}

@c @implementation
public func peal_call_defer(
    _ call: UnsafePointer<peal_call>?, _ out_token: UnsafeMutablePointer<peal_completion>?
) -> peal_status {
    out_token?.pointee = peal_completion(id: 0)
    return Boundary.making { () throws(Failure) in
        guard call != nil else { throw .null("call") }
        guard let out_token else { throw .null("out_token") }
        try RunningCall.deferAnswers(1) { (_, token) in out_token.pointee = peal_completion(id: token) }
    }
}

@c @implementation
public func peal_call_defer_several(
    _ call: UnsafePointer<peal_call>?, _ count: Int, _ out_tokens: UnsafeMutablePointer<peal_completion>?
) -> peal_status {
    Boundary.making { () throws(Failure) in
        guard call != nil else { throw .null("call") }
        guard let out_tokens else { throw .null("out_tokens") }
        let count = CallerSize.clamped(count)
        guard (1...RunningCall.maximumAnswers).contains(count) else { throw RunningCall.wrongCount(count) }
        out_tokens.update(repeating: peal_completion(id: 0), count: count)
        try RunningCall.deferAnswers(count) { (index, token) in out_tokens[index] = peal_completion(id: token) }
    }
}

@c @implementation
public func peal_call_answer(_ token: peal_completion, _ result: UnsafeRawPointer?, _ size: Int) -> peal_status {
    Boundary.making { () throws(Failure) in
        guard let result else { throw .null("result") }
        try Completion.answer(token.id, result, size: CallerSize.clamped(size))
    }
}
