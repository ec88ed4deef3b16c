/// The call that a broadcast of a Swift type makes on each observer, now or later.
class SwiftCall {
    /// - Parameter isQueued: True for an observer on a queue. Other observers are called on the thread of the
    ///   broadcast, before that returns.
    func deliver(to observer: ObserverElement, isQueued: Bool) {}
}

/// A call with the type of its observers.
final class TypedSwiftCall<Observed>: SwiftCall {
    private let body: @Sendable (Observed) -> Void

    init(_ body: @escaping @Sendable (Observed) -> Void) { self.body = body }

    override func deliver(to observer: ObserverElement, isQueued: Bool) { body(observer.observer(as: Observed.self)) }
}

/// The call of a broadcast by the main actor.
final class MainSwiftCall<Observed: Sendable>: SwiftCall {
    private let body: @MainActor @Sendable (Observed) -> Void

    init(_ body: @escaping @MainActor @Sendable (Observed) -> Void) { self.body = body }

    override func deliver(to observer: ObserverElement, isQueued: Bool) {
        let (observer, body) = (observer.observer(as: Observed.self), body)
        if isQueued {
            Task { @MainActor in body(observer) }
        } else {
            // The broadcaster, which is the main actor, is still in its call.
            MainActor.assumeIsolated { body(observer) }
        }
    }
}

/// The call of a visit, on the visitor's stack.
struct SwiftVisit {
    /// Returns true to stop.
    let body: (ObserverElement) -> Bool
}

/// The address of an observer during a call, as a value of the type of its registration. The type's identity is part of
/// the protocol's name, so every caller uses the same type.
struct ObserverElement {
    let pointer: UnsafeRawPointer

    @inline(__always)
    func observer<Observed>(as type: Observed.Type) -> Observed {
        pointer.assumingMemoryBound(to: Observed.self).pointee
    }
}

/// An observer as the type of its calls, without keeping it alive: the bytes of a reference, or of an existential with
/// one. The reader must know that the object is alive: a cast at each call would cost ten times as much.
// Unchecked: the bytes are written here and never again.
final class ObserverBits: @unchecked Sendable {
    private let storage: UnsafeMutableRawPointer

    /// - Parameter observer: An object, or an existential with one inside. These contain only a reference, and pointers
    ///   to memory that is never freed, so their bytes may be copied.
    init<Observed>(_ observer: Observed) {
        storage = .allocate(byteCount: MemoryLayout<Observed>.size, alignment: MemoryLayout<Observed>.alignment)
        withUnsafeBytes(of: observer) {
            storage.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: $0.count)
        }
    }

    deinit { storage.deallocate() }

    /// The address of the bytes, for a call. The caller must keep the observer alive.
    var shown: ObserverElement { ObserverElement(pointer: storage) }
}

/// The functions of an observer of a Swift type for the two methods of its protocol, in their order.
enum SwiftResponses {
    /// For an object. The caller keeps it alive; the bits lead to it.
    static func make(_ observer: ObserverBits, isQueued: Bool) -> [Response] {
        [
            Response { arguments, _ in call(arguments, observer.shown, isQueued) },
            Response { arguments, result in visit(arguments, observer.shown, result) },
        ]
    }

    /// For a service, whose instance stays during the call.
    static func make<Instance: Sendable, Observed>(
        _ caller: ServiceCaller<Instance>, _ view: @escaping @Sendable (Instance) -> Observed, isQueued: Bool
    ) -> [Response] {
        [
            Response { arguments, _ in caller.call { show(view($0)) { call(arguments, $0, isQueued) } } },
            Response { arguments, result in caller.call { show(view($0)) { visit(arguments, $0, result) } } },
        ]
    }

    private static func show<Observed>(_ observer: Observed, _ body: (ObserverElement) -> Void) {
        withUnsafePointer(to: observer) { body(ObserverElement(pointer: UnsafeRawPointer($0))) }
    }

    private static func call(
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ observer: ObserverElement, _ isQueued: Bool
    ) {
        guard let call = pointer(arguments) else { return }
        Box.borrow(call, as: SwiftCall.self) { $0.deliver(to: observer, isQueued: isQueued) }
    }

    private static func visit(
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ observer: ObserverElement,
        _ result: UnsafeMutableRawPointer?
    ) {
        guard let visit = pointer(arguments) else { return }
        let isOver = visit.assumingMemoryBound(to: SwiftVisit.self).pointee.body(observer)
        result?.storeBytes(of: isOver, as: Bool.self)
    }

    /// The only argument, which is a pointer.
    private static func pointer(
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?
    ) -> UnsafeMutableRawPointer? {
        arguments?.pointee?.load(as: UnsafeMutableRawPointer?.self)
    }
}
