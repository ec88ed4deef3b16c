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
    }
}
