/// The functions of an observer of a Swift type for the two methods of its protocol, in their order.
enum SwiftResponses {
    /// For an object. The caller keeps it alive; the bits lead to it.
    static func make(_ observer: ObserverBits, isQueued: Bool) -> [ObjectResponse] {
        [
            ObjectResponse { _, arguments, _ in call(arguments, observer.shown, isQueued) },
            ObjectResponse { _, arguments, result in visit(arguments, observer.shown, result) },
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

    private static func show<Observed>(_ observer: Observed, _ body: (ObserverPlace) -> Void) {
        withUnsafePointer(to: observer) { body(ObserverPlace(pointer: UnsafeRawPointer($0))) }
    }

    private static func call(
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ observer: ObserverPlace, _ isQueued: Bool
    ) {
        guard let call = pointer(arguments) else { return }
        Box.borrow(call, as: SwiftCall.self) { $0.reach(observer, isQueued: isQueued) }
    }

    private static func visit(
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ observer: ObserverPlace,
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
