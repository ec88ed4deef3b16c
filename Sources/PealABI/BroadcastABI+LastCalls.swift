public import CPeal
internal import PealCore

@c @implementation
public func peal_method_clear_last_call(_ method: peal_method, _ key: UnsafeRawPointer?) -> peal_status {
    Boundary.status { () throws(Failure) in try method.find().clearLastCalls(ofKeyAt: key) }
}
