internal import CPeal

/// The target of an observer in the C interface. One function takes the calls of all of them: ``call``.
class Handler: @unchecked Sendable {
    // Unchecked, since it is no final class; all that it and its subclasses have is immutable once it is registered.

    /// Where its calls may come: kept as long as it is.
    final var queues: [Queue] = []

    /// Answers one call. `index` is the method's place in the list that was registered.
    func respond(
        _ index: Int, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ result: UnsafeMutableRawPointer?
    ) {}

    /// The `peal_handler` of all observers. The C interface keeps the target alive during the call.
    static let call: peal_handler = { target, call in
        guard let target, let call else { return }
        Box.borrow(target, as: Handler.self) {
            $0.respond(call.pointee.index, call.pointee.arguments, call.pointee.result)
        }
    }
}

/// An observer of one method, which is a closure.
final class ClosureHandler: Handler, @unchecked Sendable {
    // As its superclass.
    private let response: Response

    init(_ response: @escaping Response) { self.response = response }

    override func respond(
        _ index: Int, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ result: UnsafeMutableRawPointer?
    ) {
        response(arguments, result)
    }
}

/// An observer of several methods, a closure each.
final class ListHandler: Handler, @unchecked Sendable {
    // As its superclass.
    private let responses: [Response]

    init(_ responses: [Response]) { self.responses = responses }

    override func respond(
        _ index: Int, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ result: UnsafeMutableRawPointer?
    ) {
        responses[index](arguments, result)
    }
}
