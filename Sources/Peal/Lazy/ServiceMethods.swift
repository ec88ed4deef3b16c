/// The functions of a service for the methods of a protocol that it observes. The closure that describes the observer
/// fills it, with methods of the instance's type or with closures that get the instance:
///
///     let observation = try center.observe(Chat.self, by: history) {
///         $0.on(Chat.onMessage, History.keep)
///         $0.on(Chat.mayClose, otherwise: true) { history in history.isSaved }
///     }
public struct ServiceMethods<Instance: Sendable>: Sendable {
    private(set) var entries: [(signature: MethodSignature, response: Response)] = []
    private let caller: ServiceCaller<Instance>

    init(_ caller: ServiceCaller<Instance>) { self.caller = caller }

    /// Implements a method without a result by a method of the instance's type.
    ///
    /// - Parameters:
    ///   - method: A method of the observed protocol, or of an adopted one; each at most once.
    ///   - body: `History.keep`. Runs on the broadcasting thread, or on the observer's queue, and the instance stays
    ///     until it has returned.
    public mutating func on<Owner, each Parameter: PealValue>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>,
        _ body: @escaping @Sendable (Instance) -> (repeat each Parameter) -> Void
    ) {
        on(method) { (instance: Instance, arguments: repeat each Parameter) in body(instance)(repeat each arguments) }
    }

    /// Answers a method without a result.
    ///
    /// - Parameters:
    ///   - method: As for a method of the instance's type.
    ///   - body: Gets the instance and the arguments.
    public mutating func on<Owner, each Parameter: PealValue>(
        _ method: PealMethod<Owner, Void, repeat each Parameter>,
        _ body: @escaping @Sendable (Instance, repeat each Parameter) -> Void
    ) {
        let caller = caller
        add(
            method.signature,
            Responses.make { (arguments: repeat each Parameter) in
                caller.call { body($0, repeat each arguments) }
            })
    }

    /// Answers a method with a result by a method of the instance's type.
    ///
    /// - Parameters:
    ///   - method: As for a method without a result.
    ///   - otherwise: The result where the service cannot be created.
    ///   - body: `History.votes`.
    public mutating func on<Owner, Result: PealResult & Sendable, each Parameter: PealValue>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>, otherwise: Result,
        _ body: @escaping @Sendable (Instance) -> (repeat each Parameter) -> Result
    ) {
        on(method, otherwise: otherwise) { (instance: Instance, arguments: repeat each Parameter) in
            body(instance)(repeat each arguments)
        }
    }

    /// Answers a method with a result.
    ///
    /// - Parameters:
    ///   - method: As for a method without a result.
    ///   - otherwise: The result where the service cannot be created.
    ///   - body: Gets the instance and the arguments, and gives back the result.
    public mutating func on<Owner, Result: PealResult & Sendable, each Parameter: PealValue>(
        _ method: PealMethod<Owner, Result, repeat each Parameter>, otherwise: Result,
        _ body: @escaping @Sendable (Instance, repeat each Parameter) -> Result
    ) {
        let caller = caller
        add(
            method.signature,
            Responses.make { (arguments: repeat each Parameter) -> Result in
                caller.call { body($0, repeat each arguments) } ?? otherwise
            })
    }

    private mutating func add(_ signature: MethodSignature, _ response: Response) {
        entries.append((signature, response))
    }
}
