public import CPeal
internal import PealCore

@c @implementation
public func peal_reference_create(
    _ object: UnsafeMutableRawPointer?, _ destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?,
    _ out_reference: UnsafeMutablePointer<peal_reference>?
) -> peal_status {
    out_reference?.pointee = peal_reference(id: 0)
    return Boundary.making { () throws(Failure) in
        guard let out_reference else { throw .null("out_reference") }
        guard let object else { throw .null("object") }
        out_reference.pointee = peal_reference(id: try Reference.make(object, destroy: destroy))
    }
}

@c @implementation @_optimize(speed)
public func peal_reference_retain(
    _ reference: peal_reference, _ out_object: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> peal_status {
    out_object?.pointee = nil
    return Boundary.status { () throws(Failure) in
        let object = try Reference.retain(reference.id)
        out_object?.pointee = object
    }
}

@c @implementation @_optimize(speed)
public func peal_reference_release(_ reference: peal_reference) -> peal_status {
    Boundary.status { () throws(Failure) in try Reference.release(reference.id) }
}

@c @implementation
public func peal_reference_count(_ reference: peal_reference) -> Int {
    Reference.count(reference.id)
}

extension WeakTarget {
    /// The weak target in the options of observers, timers and proxies; nil where the target is not weak.
    init?(
        _ type: UnsafePointer<peal_weak_type>?, _ foreign: UnsafeMutableRawPointer?, _ reference: peal_reference,
        target: UnsafeMutableRawPointer?
    ) throws(Failure) {
        guard reference.id == 0 else {
            guard type == nil else {
                throw Failure(.argument, "`weak` and `reference` exclude each other; choose one")
            }
            self = try WeakTarget(reference: reference.id, target: target)
            return
        }
        guard let type else { return nil }
        guard let retain = type.pointee.retain, let release = type.pointee.release else {
            throw .null("a function of the weak type")
        }
        self.init(reference: foreign, retain: retain, release: release)
    }
}
