public import CPeal
internal import Synchronization

extension Center {
    /// Calls one closure for each broadcast of any method of a protocol: for logs, bridges and tools, which do not have the
    /// methods as Swift declarations.
    ///
    ///     let log = try center.observeMethods(of: "Chat", includingLater: true, .passive) { call in
    ///         print(call.name)
    ///     }
    ///
    /// - Parameters:
    ///   - protocolName: A protocol that is defined, in whatever language.
    ///   - includingLater: True if the closure is called for methods too that the protocol, or one that it adopts, gets
    ///     later. Such an observer takes 10 KB. `docs/limits.md` lists the methods that are left out.
    ///   - options: Options of the registration.
    ///   - body: Receives each call. Kept until the observation has ended and its last call has returned. If it does not
    ///     answer a method with a result, it abstains.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: ``Status/notFound`` for an unknown protocol; ``Status/type`` for a queue where a parameter is a bare
    ///   pointer.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    public func observeMethods(
        of protocolName: String, includingLater: Bool = false, _ options: ObserverOption...,
        body: @escaping @Sendable (borrowing ObservedCall) -> Void
    ) throws(PealError) -> ObserverToken {
        try CStrings.check(protocolName, is: "the protocol's name")
        var found = peal_protocol()
        try PealError.check(peal_protocol_find(handle, protocolName, &found))
        let target = MethodsTarget(handle, body)
        target.queue = options.keptQueue
        var observation = peal_observation()
        try peal_observe_options.with(options) { options throws(PealError) in
            if includingLater { options.flags |= UInt32(PEAL_OBSERVE_LATER_METHODS.rawValue) }
            let pointer = options.pass(target)
            try PealError.check(
                peal_observe_handler(found, pointer, MethodsTarget.call, nil, 0, &options, &observation))
        }
        return ObserverToken(observation)
    }
}

/// A call of a method that an observer of all methods receives.
///
/// It is valid inside the closure only, and cannot be kept. The C interface's `struct peal_call`.
public struct ObservedCall: ~Copyable {
    /// The call in the C interface, for C functions that read its arguments.
    public let call: UnsafePointer<peal_call>
    private let answers: UnsafeMutablePointer<Bool>
    private let checked: CheckedMethods

    fileprivate init(
        _ call: UnsafePointer<peal_call>, _ answers: UnsafeMutablePointer<Bool>, _ checked: CheckedMethods
    ) {
        self.call = call
        self.answers = answers
        self.checked = checked
    }

    /// The called method, as the observed protocol names it. ``MethodInfo/init(_:)`` reads its declaration.
    public var method: peal_method { call.pointee.method }

    /// The index of the method among those of the protocol. A later method has the next index.
    public var index: Int { call.pointee.index }

    /// The name of the method: `on_message`.
    public var name: String {
        let method = method
        return (try? CStrings.copied { Status(peal_method_name(method, $0, $1, $2)) }) ?? ""
    }

    /// The number that the broadcaster stated: ``BoundMethod/broadcast(_:from:except:)``. 0 for none.
    public var origin: UInt64 { call.pointee.origin }

    /// The number of the broadcast. 0 if it has none, as for ``CallInfo/broadcast``.
    public var broadcast: UInt64 { call.pointee.broadcast }

    /// When a queue received the call, by the monotonic clock. `nil` if that is not known, as for ``CallInfo/enqueuedAt``.
    public var enqueuedAt: Duration? { CallInfo.time(call.pointee.enqueued_at) }

    /// Reads the arguments.
    ///
    ///     if call.name == "on_message" {
    ///         let (room, text) = try call.arguments(String.self, String.self)
    ///     }
    ///
    /// - Parameter types: The types of all parameters. Compared with the prototype by the first call of each method.
    /// - Returns: The values, which outlive the call.
    /// - Throws: ``Status/conflict`` for other types.
    ///
    /// The thread of the call.
    public func arguments<each Parameter: PealParameter>(
        _ types: repeat (each Parameter).Type
    ) throws(PealError) -> (repeat each Parameter) {
        try checked.check(method, as: (repeat each Parameter).self) { () in
            var list = MethodTypes(result: nil)
            _ = (repeat list.append(each types))
            return list.parameters
        }
        var arguments = CallArguments(call.pointee.arguments)
        return (repeat arguments.read((each Parameter).self))
    }

    /// Stores the result of the call. The last one counts. A broadcast that wants no result ignores it.
    ///
    /// - Parameter result: A value of the result's type.
    /// - Throws: ``Status/conflict`` for another type, and for a method without a result.
    ///
    /// The thread of the call.
    public func answer<Result: PealResult & PealValue>(_ result: Result) throws(PealError) {
        try checked.check(method, result: Result.self)
        answers.pointee = true
        Responses.store(result, at: call.pointee.result)
    }
}

/// The methods and types that have been compared, so that each method is compared once.
private final class CheckedMethods: Sendable {
    private struct Key: Hashable {
        let method: UInt64
        let type: ObjectIdentifier
        let isResult: Bool
    }

    private let center: Center
    private let known = Mutex<Set<Key>>([])

    init(in center: peal_center) { self.center = Center(borrowing: center) }

    func check(
        _ method: peal_method, as type: Any.Type, _ parameters: () -> [ValueType]
    ) throws(PealError) {
        try once(Key(method: method.id, type: ObjectIdentifier(type), isResult: false)) { () throws(PealError) in
            try center.check(parameters(), TypeDescription(of: method), Self.title(of: method))
        }
    }

    func check<Result: PealValue>(_ method: peal_method, result: Result.Type) throws(PealError) {
        try once(Key(method: method.id, type: ObjectIdentifier(result), isResult: true)) { () throws(PealError) in
            try center.check(ValueType(result), TypeDescription(of: method), Self.title(of: method))
        }
    }

    private func once(_ key: Key, _ check: () throws(PealError) -> Void) throws(PealError) {
        if known.withLock({ $0.contains(key) }) { return }
        try check()
        known.withLock { _ = $0.insert(key) }
    }

    private static func title(of method: peal_method) throws(PealError) -> String {
        "method \(try MethodInfo(method).name)"
    }
}

/// The target of an observer of all methods.
private final class MethodsTarget: Target, @unchecked Sendable {
    // As its superclass.
    private let body: @Sendable (borrowing ObservedCall) -> Void
    private let checked: CheckedMethods

    init(_ center: peal_center, _ body: @escaping @Sendable (borrowing ObservedCall) -> Void) {
        self.body = body
        checked = CheckedMethods(in: center)
        super.init()
    }

    /// The `peal_handler`. The C interface passes the registered target and a call, neither of them NULL.
    static let call: peal_handler = { target, call in
        let call = call.unsafelyUnwrapped
        Box.borrow(target.unsafelyUnwrapped, as: MethodsTarget.self) { $0.receive(call) }
    }

    // Not inlined, because the optimizer of Swift 6.3 ends with an assertion when it inlines this function.
    @inline(never)
    private func receive(_ call: UnsafePointer<peal_call>) {
        var answers = false
        withUnsafeMutablePointer(to: &answers) { body(ObservedCall(call, $0, checked)) }
        if !answers && call.pointee.result != nil { _ = peal_call_abstain(call) }
    }
}
