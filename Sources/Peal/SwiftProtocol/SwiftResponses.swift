/// What an observer of a Swift type does for the two methods of its protocol.
enum SwiftResponses {
    /// In the order of the methods. The caller keeps the object alive; the bits lead to it.
    static func make(_ observer: ObserverBits) -> [ObjectResponse] {
        [
            { _, arguments, _ in
                guard let call = pointer(arguments) else { return }
                Box.borrow(call, as: SwiftCall.self) { $0.reach(observer) }
            },
            { _, arguments, result in
                guard let visit = pointer(arguments) else { return }
                let isOver = visit.assumingMemoryBound(to: SwiftVisit.self).pointee.body(observer)
                result?.storeBytes(of: isOver, as: Bool.self)
            },
        ]
    }

    /// The only argument, which is a pointer.
    private static func pointer(
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?
    ) -> UnsafeMutableRawPointer? {
        arguments?.pointee?.load(as: UnsafeMutableRawPointer?.self)
    }
}
