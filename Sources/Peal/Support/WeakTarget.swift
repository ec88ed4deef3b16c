import CPeal
import Synchronization

/// An object that observes and is not kept alive by it. All weak registrations of one object share one of these.
///
/// The C interface gets the object's own address as the target, so it sees by itself that an object
/// registers twice. The unowned reference keeps that address from being given to another object while a
/// registration may still name it.
// Unchecked: the references are only ever set here. That the object may be used on other threads is what
// those ask for who register it.
final class WeakTarget: @unchecked Sendable {
    let address: UnsafeMutableRawPointer
    private weak let object: AnyObject?
    private unowned let memory: AnyObject

    private init(_ object: AnyObject) {
        address = Box.address(of: object)
        self.object = object
        memory = object
    }

    /// The object, if it is alive.
    var strong: AnyObject? { object }
}

extension WeakTarget {
    private struct Entry: Sendable {
        let target: WeakTarget
        var registrations = 0
        /// Where it is called: kept until its last registration ends, since none tells which it was.
        var queues: [Queue] = []
    }

    private static let entries = Mutex<[UInt: Entry]>([:])

    /// The one for an object, for one more registration. ``forget`` takes that back.
    static func remember(_ object: AnyObject, keeping queues: [Queue] = []) -> WeakTarget {
        let key = UInt(bitPattern: Box.address(of: object))
        let target = WeakTarget(object)
        return entries.withLock { entries in
            var entry = entries[key] ?? Entry(target: target)
            entry.registrations += 1
            for queue in queues where !entry.queues.contains(where: { $0 === queue }) { entry.queues.append(queue) }
            entries[key] = entry
            return entry.target
        }
    }

    /// A destroy callback of the C interface: a registration of this target has ended.
    static let forget: @convention(c) (UnsafeMutableRawPointer?) -> Void = { address in
        let key = UInt(bitPattern: address)
        // What is taken out goes away after the lock is released.
        _ = entries.withLock { entries -> Entry? in
            guard var entry = entries[key] else { return nil }
            entry.registrations -= 1
            entries[key] = entry.registrations == 0 ? nil : entry
            return entry
        }
    }

    /// How the C interface keeps such an object alive during a call.
    // Unsafe: it is filled here and never written again.
    nonisolated(unsafe) static let hooks: UnsafePointer<peal_weak_type> = {
        let hooks = UnsafeMutablePointer<peal_weak_type>.allocate(capacity: 1)
        hooks.initialize(to: peal_weak_type(
            retain: { reference in
                guard let reference else { return false }
                var isAlive = false
                Box.borrow(reference, as: WeakTarget.self) { target in
                    guard let object = target.strong else { return }
                    _ = Box.retain(object)
                    isAlive = true
                }
                return isAlive
            },
            release: { _, target in Box.release(target) }))
        return UnsafePointer(hooks)
    }()

    /// What is passed as the C interface's `weak_reference`. The table of targets keeps it.
    var reference: UnsafeMutableRawPointer { Box.address(of: self) }
}
