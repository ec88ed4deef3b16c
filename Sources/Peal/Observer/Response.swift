/// Makes one call of an observer: decodes the arguments, runs the user's closure, and stores the
/// result.
///
/// The pointers are those of `struct peal_call`.
///
/// A struct, because a function in a list is wrapped, and each call would go through the wrappers.
@usableFromInline
struct Response: Sendable {
    @usableFromInline
    typealias Function =
        @Sendable (
            _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ result: UnsafeMutableRawPointer?
        ) -> Void

    let answer: Function

    @usableFromInline
    init(_ answer: @escaping Function) { self.answer = answer }
}

/// Responses made of closures. They are inlined where they are made, so that a call decodes plain values without
/// looking at their types.
@usableFromInline
enum Responses {
    @inlinable
    static func make<each Parameter: PealParameter>(
        _ body: @escaping @Sendable (repeat each Parameter) -> Void
    ) -> Response {
        Response { arguments, _ in
            var arguments = CallArguments(arguments)
            body(repeat arguments.read((each Parameter).self))
        }
    }

    @inlinable
    static func make<Result: PealResult, each Parameter: PealParameter>(
        _ body: @escaping @Sendable (repeat each Parameter) -> Result
    ) -> Response {
        Response { arguments, place in
            var arguments = CallArguments(arguments)
            let result = body(repeat arguments.read((each Parameter).self))
            guard let place else { return }
            place.storeBytes(of: result.cValue, as: Result.CValue.self)
        }
    }
}

/// The arguments of one call, read one after the other.
@usableFromInline
struct CallArguments {
    @usableFromInline var next: UnsafePointer<UnsafeMutableRawPointer?>?

    @inlinable @inline(__always)
    init(_ first: UnsafePointer<UnsafeMutableRawPointer?>?) { next = first }

    /// The next argument. There are as many as the method's declaration has parameters, of these types.
    @inlinable @inline(__always)
    mutating func read<Value: PealParameter>(_ type: Value.Type) -> Value {
        Value.read(next: &next)
    }
}
