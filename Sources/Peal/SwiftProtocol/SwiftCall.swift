/// What a broadcast of a Swift type brings to each observer, now or later.
class SwiftCall {
    func reach(_ observer: AnyObject) {}

    /// The observer's function for `call`.
    static let receive: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = { target, call in
        guard let target, let call else { return }
        Box.borrow(call, as: SwiftCall.self) { call in
            Box.borrow(target, as: AnyObject.self) { call.reach($0) }
        }
    }
}

/// The same with its types. The observer was checked when it registered.
final class TypedSwiftCall<Observed>: SwiftCall {
    private let body: @Sendable (Observed) -> Void

    init(_ body: @escaping @Sendable (Observed) -> Void) { self.body = body }

    override func reach(_ observer: AnyObject) {
        if let observer = observer as? Observed { body(observer) }
    }
}

/// What a visit brings, from the visitor's stack.
struct SwiftVisit {
    /// Returns true to stop.
    let body: (AnyObject) -> Bool

    /// The observer's function for `visit`.
    static let receive: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Bool = { target, visit in
        guard let target, let visit else { return false }
        var isOver = false
        Box.borrow(target, as: AnyObject.self) {
            isOver = visit.assumingMemoryBound(to: SwiftVisit.self).pointee.body($0)
        }
        return isOver
    }
}
