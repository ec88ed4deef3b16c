/// As ``MainActorMethods``, for an object that need not be `Sendable`. The code that `@PealProtocol` makes uses it.
public struct MainActorObjectMethods: Sendable {
    private(set) var entries: [(signature: MethodSignature, response: ObjectResponse)] = []

    init() {}

    /// Implements a method without a result.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol; each at most once.
    ///   - body: Receives the object, alive, and the arguments, on the main actor.
    public mutating func on<Owner, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>,
        _ body: @escaping @MainActor @Sendable (AnyObject, repeat each Parameter) -> Void
    ) {
        let response = ObjectResponse { object, arguments, _ in
            var arguments = CallArguments(arguments)
            let values = (repeat arguments.read((each Parameter).self))
            let object = CalledObject(address: object)
            MainActor.assumeIsolated { body(object.counted, repeat each values) }
        }
        entries.append((method.signature, response))
    }

    /// Implements a method without a result by an asynchronous closure. Each call is a task, which begins on the main
    /// actor in the order of the broadcasts.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol; each at most once.
    ///   - body: Receives the object, which the call keeps, and the arguments, on the main actor.
    public mutating func on<Owner, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>,
        _ body: @escaping @MainActor @Sendable (AnyObject, repeat each Parameter) async -> Void
    ) {
        let response = ObjectResponse { object, arguments, _ in
            var arguments = CallArguments(arguments)
            let values = (repeat arguments.read((each Parameter).self))
            let object = CalledObject(address: object)
            MainActor.assumeIsolated {
                let object = object.counted
                _ = Task.immediate { @MainActor in await body(object, repeat each values) }
            }
        }
        entries.append((method.signature, response))
    }

    /// Implements a method with a result.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol; each at most once.
    ///   - body: Receives the object, alive, and the arguments, on the main actor, and returns the result.
    public mutating func on<Owner, Result: PealAnswer, each Parameter: PealParameter & Sendable>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>,
        _ body: @escaping @MainActor @Sendable (AnyObject, repeat each Parameter) -> Result.Answer
    ) where Result.Answer: PealResult & Sendable {
        let response = ObjectResponse { object, arguments, place in
            var arguments = CallArguments(arguments)
            let values = (repeat arguments.read((each Parameter).self))
            let object = CalledObject(address: object)
            let result = MainActor.assumeIsolated { body(object.counted, repeat each values) }
            place?.storeBytes(of: result.cValue, as: Result.Answer.CValue.self)
        }
        entries.append((method.signature, response))
    }
}

/// Passes an object that the call keeps alive to the main actor. Unchecked: the object is only used there.
private struct CalledObject: @unchecked Sendable {
    let address: UnsafeMutableRawPointer

    var counted: AnyObject { Box.object(address, as: AnyObject.self) }
}
