import CPeal

/// An object on its way to the C interface, as a target.
struct SwiftObserver {
    let object: AnyObject
    let queue: Queue?
    let holding: Holding

    var target: UnsafeMutableRawPointer { Box.address(of: object) }

    /// What the C interface is told. From here on the destroy callback must run: it does, whatever becomes of
    /// the registration.
    func options(_ options: ObserveOptions, priority: Int32) -> peal_observe_options {
        let weakTarget = WeakTarget.remember(object, on: queue)
        var result = peal_observe_options()
        result.size = MemoryLayout<peal_observe_options>.size
        result.flags = options.rawValue
        result.priority = priority
        result.queue = queue?.handle ?? peal_queue(number: 0)
        switch holding {
        case .weakly:
            result.destroy = WeakTarget.forget
            result.weak = WeakTarget.hooks
            result.weak_reference = weakTarget.reference
        case .strongly:
            _ = Box.retain(object)
            result.destroy = { target in
                WeakTarget.forget(target)
                Box.release(target)
            }
        }
        return result
    }
}
