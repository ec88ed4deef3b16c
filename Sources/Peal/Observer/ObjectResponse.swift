/// As ``Response``, for a weak object: the call passes its address and keeps it alive.
@usableFromInline
struct ObjectResponse: Sendable {
    @usableFromInline
    typealias Function =
        @Sendable (
            _ object: UnsafeMutableRawPointer, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?,
            _ result: UnsafeMutableRawPointer?
        ) -> Void

    let answer: Function

    @usableFromInline
    init(_ answer: @escaping Function) { self.answer = answer }
}

/// Responses made of closures that get the object.
@usableFromInline
enum ObjectResponses {
    @inlinable
    static func make<Object: AnyObject & Sendable>(
        _ body: @escaping @Sendable (Object, inout CallArguments) -> Void
    ) -> ObjectResponse {
        ObjectResponse { object, arguments, _ in
            var arguments = CallArguments(arguments)
            Box.borrow(object, as: Object.self) { body($0, &arguments) }
        }
    }

    @inlinable
    static func make<Object: AnyObject & Sendable, Result: PealResult>(
        _ body: @escaping @Sendable (Object, inout CallArguments) -> Result
    ) -> ObjectResponse {
        ObjectResponse { object, arguments, place in
            var arguments = CallArguments(arguments)
            let result = Box.borrow(object, as: Object.self) { body($0, &arguments) }
            guard let place else { return }
            place.storeBytes(of: result.cValue, as: Result.CValue.self)
        }
    }
}
