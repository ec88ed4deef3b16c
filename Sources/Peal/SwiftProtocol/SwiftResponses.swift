/// What an observer of a Swift type does for the two methods of its protocol.
enum SwiftResponses {
    /// In the order of the methods.
    static let all: [ObjectResponse] = [call, visit]

    private static let call: ObjectResponse = { observer, arguments, _ in
        guard let call = pointer(arguments) else { return }
        Box.borrow(call, as: SwiftCall.self) { call in
            Box.borrow(observer, as: AnyObject.self) { call.reach($0) }
        }
    }

    private static let visit: ObjectResponse = { observer, arguments, result in
        guard let visit = pointer(arguments) else { return }
        let isOver = Box.borrow(observer, as: AnyObject.self) {
            visit.assumingMemoryBound(to: SwiftVisit.self).pointee.body($0)
        }
        result?.storeBytes(of: isOver, as: Bool.self)
    }

    /// The only argument, which is a pointer.
    private static func pointer(
        _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?
    ) -> UnsafeMutableRawPointer? {
        arguments?.pointee?.load(as: UnsafeMutableRawPointer?.self)
    }
}
