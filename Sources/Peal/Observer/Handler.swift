internal import CPeal

/// The target of an observer in the C interface. One function receives the calls of all observers: ``call``.
final class Handler: Target, @unchecked Sendable {
    // As its superclass.

    /// The answer to the first method that was registered; most observers have no other.
    private let first: Response
    private let others: [Response]
    /// Distinguishes the observers that may be registered once for each protocol and queue: objects and services.
    let identity: ObservedObjects.Key?

    /// A handler for a list of methods, which is not empty. It may be registered for further methods: it does nothing
    /// in their calls, and abstains from their results.
    init(
        _ responses: [Response], as identity: ObservedObjects.Key? = nil,
        weakly object: (any AnyObject & Sendable)? = nil, keeping kept: (any AnyObject & Sendable)? = nil
    ) {
        first = responses[0]
        others = Array(responses.dropFirst())
        self.identity = identity
        super.init(weakly: object, keeping: kept)
    }

    deinit {
        if let identity { ObservedObjects.remove(ObjectIdentifier(self), at: identity) }
    }

    /// The `peal_handler` of all observers. The C interface keeps the target alive during the call.
    static let call: peal_handler = { target, call in
        // The C interface passes the registered target and a call, neither of them NULL.
        let call = call.unsafelyUnwrapped
        Box.borrow(target.unsafelyUnwrapped, as: Handler.self) { handler in
            // Two calls, since one of a chosen closure would count references.
            if _fastPath(call.pointee.index == 0) {
                handler.first.answer(call.pointee.arguments, call.pointee.result)
            } else {
                handler.answerOther(call)
            }
        }
    }

    /// Not inlined, so that the path of the first method stays short.
    @inline(never)
    private func answerOther(_ call: UnsafePointer<peal_call>) {
        let index = call.pointee.index - 1
        if index < others.count {
            others[index].answer(call.pointee.arguments, call.pointee.result)
        } else if call.pointee.result != nil {
            _ = peal_call_abstain(call)
        }
    }
}

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
        Response { arguments, pointer in
            var arguments = CallArguments(arguments)
            store(body(repeat arguments.read((each Parameter).self)), at: pointer)
        }
    }

    /// Stores the result of a call, unless no broadcaster takes it.
    @inlinable @inline(__always)
    static func store<Result: PealResult>(_ result: Result, at pointer: UnsafeMutableRawPointer?) {
        guard let pointer else { return }
        pointer.storeBytes(of: result.cValue, as: Result.CValue.self)
    }

    /// A response that returns the status of a thrown error.
    @inlinable
    static func makeThrowing<each Parameter: PealParameter>(
        _ body: @escaping @Sendable (repeat each Parameter) throws -> Void
    ) -> Response {
        make { (argument: repeat each Parameter) -> Status in
            Status.catching { try body(repeat each argument) }
        }
    }

    /// A response of a closure that decodes the arguments itself.
    static func decoding(_ body: @escaping @Sendable (inout CallArguments) -> Void) -> Response {
        Response { arguments, _ in
            var arguments = CallArguments(arguments)
            body(&arguments)
        }
    }

    /// A response of a closure that decodes the arguments itself, and returns the result.
    static func decoding<Result: PealResult>(
        _ body: @escaping @Sendable (inout CallArguments) -> Result
    ) -> Response {
        Response { arguments, pointer in
            var arguments = CallArguments(arguments)
            store(body(&arguments), at: pointer)
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

/// Responses of closures that get the object and decode the arguments. The compiler makes each one closure with the code
/// of the object's method.
extension CalledObject {
    @inlinable
    func response(_ body: @escaping @Sendable (Object, inout CallArguments) -> Void) -> Response {
        Response { arguments, _ in
            var arguments = CallArguments(arguments)
            borrow { body($0, &arguments) }
        }
    }

    @inlinable
    func response<Result: PealResult>(
        _ body: @escaping @Sendable (Object, inout CallArguments) -> Result
    ) -> Response {
        Response { arguments, pointer in
            var arguments = CallArguments(arguments)
            Responses.store(borrow { body($0, &arguments) }, at: pointer)
        }
    }
}
