import CPeal

/// An object on its way to the C interface, as a target.
struct SwiftObserver {
    let object: AnyObject
    let holding: Holding
    let options: [ObserverOption]

    var target: UnsafeMutableRawPointer { Box.address(of: object) }

    /// What the C interface is told. The registration counts from here on: it must be tried, since even a failed one
    /// runs its destroy callback, which takes the count back.
    func begin() -> peal_observe_options {
        let weakTarget = WeakTarget.remember(object, keeping: options.compactMap(\.keptQueue))
        var result = peal_observe_options(options)
        result.flags |= options.reduce(0) { $0 | $1.duplicateFlags }
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

extension ObserverOption {
    /// What the registration keeps.
    var keptQueue: Queue? {
        if case .on(let queue) = self { queue } else { nil }
    }

    /// The flags about the same object, for targets that are the object itself.
    fileprivate var duplicateFlags: UInt32 {
        switch self {
        case .replacing: UInt32(PEAL_OBSERVE_REPLACE.rawValue)
        case .allowingDuplicates: UInt32(PEAL_OBSERVE_ALLOW_DUPLICATE.rawValue)
        default: 0
        }
    }
}
