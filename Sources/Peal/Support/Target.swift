internal import CPeal

/// The target of a registration in the C interface, which keeps it until the last call has returned.
class Target: @unchecked Sendable {
    // Unchecked, since it is no final class; all that it and its subclasses have is immutable once it is registered.

    /// The queue of its calls, kept until no more calls can run there.
    final var queue: Queue?
    /// The object of the calls, unless the target has none: the registration ends with it.
    private weak let object: (any AnyObject & Sendable)?
    private let address: UnsafeMutableRawPointer?
    /// An object that is kept with the target.
    private let kept: (any AnyObject & Sendable)?

    /// - Parameters:
    ///   - object: A weak object, which the C interface retains during each call only.
    ///   - kept: An object that must live as long as the target.
    init(weakly object: (any AnyObject & Sendable)? = nil, keeping kept: (any AnyObject & Sendable)? = nil) {
        self.object = object
        address = object.map { Box.address(of: $0) }
        self.kept = kept
    }

    /// The functions by which the C interface keeps the object during a call. Nil for a target without an object.
    final var weakType: UnsafePointer<peal_weak_type>? { address == nil ? nil : Self.functions }

    /// Retains the object, if it is alive.
    private func retainObject() -> Bool {
        guard let object else { return false }
        _ = Box.retain(object)
        return true
    }

    /// The reference that both functions receive is the target.
    // Unsafe: it is filled here and never written again.
    private nonisolated(unsafe) static let functions: UnsafePointer<peal_weak_type> = {
        let type = UnsafeMutablePointer<peal_weak_type>.allocate(capacity: 1)
        type.initialize(
            to: peal_weak_type(
                retain: { target in
                    target.map { Box.borrow($0, as: Target.self) { $0.retainObject() } } ?? false
                },
                release: { target, _ in
                    if let target { Box.release(Box.borrow(target, as: Target.self) { $0.address }) }
                }))
        return UnsafePointer(type)
    }()
}

/// A target with one closure. The type of its calls distinguishes the kinds of registrations: a firing of a timer, a
/// change of a property, an event of a module.
final class ClosureTarget<Call>: Target, @unchecked Sendable {
    // As its superclass.
    private let body: @Sendable (Call) -> Void

    init(keeping kept: (any AnyObject & Sendable)? = nil, _ body: @escaping @Sendable (Call) -> Void) {
        self.body = body
        super.init(keeping: kept)
    }

    /// A target with a weak object, which the closure receives alive.
    init<Object: AnyObject & Sendable>(weakly object: Object, _ body: @escaping @Sendable (Object, Call) -> Void) {
        let called = CalledObject(object)
        self.body = { call in called.borrow { body($0, call) } }
        super.init(weakly: object)
    }

    /// Makes a call of a target that the C interface passes.
    static func call(_ target: UnsafeMutableRawPointer?, _ call: Call) {
        if let target { Box.borrow(target, as: ClosureTarget<Call>.self) { $0.body(call) } }
    }
}

/// Runs a closure when the target that keeps it ends.
final class TargetEnd: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    deinit { body() }
}

/// The object of a weak target. It is followed only during calls, when the C interface keeps the object alive.
@usableFromInline
struct CalledObject<Object: AnyObject>: @unchecked Sendable {
    // Unchecked: only the code of a call follows the address, and that code has the isolation of the object.
    @usableFromInline let address: UnsafeMutableRawPointer

    init(_ object: Object) { address = Box.address(of: object) }

    /// The object, without a retain.
    @inlinable @inline(__always)
    func borrow<Result>(_ body: (Object) -> Result) -> Result { Box.borrow(address, as: Object.self, body) }

    /// The object, as a reference that outlives the call.
    var strong: Object { Box.object(address, as: Object.self) }
}

extension peal_observe_options {
    /// Makes a target part of a registration. The C interface releases it, even when the registration fails.
    mutating func pass(_ target: Target) -> UnsafeMutableRawPointer {
        let pointer = Box.retain(target)
        destroy = Box.release
        weak = target.weakType
        weak_reference = weak == nil ? nil : pointer
        return pointer
    }
}
