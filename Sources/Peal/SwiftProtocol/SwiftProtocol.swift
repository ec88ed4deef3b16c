import CPeal
import Synchronization

/// A Swift type that is observed, as a protocol of the C interface with two methods.
///
/// `call` reaches all observers, those on queues too. `visit` reaches those that are called at once, and stops when an
/// observer requests it. Its context is on the broadcaster's stack. An observer on a queue omits `visit`.
struct SwiftProtocol: Sendable {
    let handle: peal_protocol
    let call: peal_method
    let visit: peal_method

    /// Finds a type's protocol in a center, or defines it.
    init(_ type: Any.Type, in center: peal_center) throws(PealError) {
        try Self.declareContext(in: center)
        var handle = peal_protocol(id: 0)
        var methods = (peal_method(id: 0), peal_method(id: 0))
        let status = Self.name(of: type).withCString { name in
            CStrings.withList(Self.texts) { texts in
                var description = peal_protocol_description(
                    size: MemoryLayout<peal_protocol_description>.size, name: name, adopts: nil, methods: texts,
                    table_size: 0)
                return withUnsafeMutableBytes(of: &methods) {
                    peal_protocol_define(
                        center, &description, &handle, $0.assumingMemoryBound(to: peal_method.self).baseAddress, 2)
                }
            }
        }
        try PealError.check(status)
        self.handle = handle
        (call, visit) = methods
    }

    /// The methods of an observer. An observer with a queue cannot answer a visit in time.
    static func methods(isQueued: Bool) -> [String] { isQueued ? ["call"] : ["call", "visit"] }

    /// The name of a type's protocol. The type's identity is part of it, since types of different modules may
    /// have the same name.
    static func name(of type: Any.Type) -> String {
        let identity = UInt(bitPattern: Int(bitPattern: unsafeBitCast(type, to: UnsafeRawPointer.self)))
        // A dot separates protocol and method in the C interface; 255 bytes is the most.
        let readable = String(reflecting: type).split(separator: ".").joined(separator: "::")
        var kept = readable[...]
        while kept.utf8.count > 200 { kept.removeFirst() }
        return "Swift \(kept) #\(String(identity, radix: 16))"
    }

    private static let texts = [
        "optional void call(struct peal_swift_call *call)",
        "optional bool visit(struct peal_swift_visit *visit), first_true, borrowed",
    ]

    /// Calls that wait on queues retain their context.
    private static func declareContext(in center: peal_center) throws(PealError) {
        var functions = peal_object_type(
            size: MemoryLayout<peal_object_type>.size, retain: Box.retainAgain, release: Box.release)
        let status = peal_type_set_object(center, "struct peal_swift_call", &functions)
        // Another image of the process has this module too: its functions do the same.
        if status != PEAL_ERROR_CONFLICT { try PealError.check(status) }
    }
}

/// The protocols of Swift types in a center, so that a broadcast searches for no protocol by name.
final class SwiftProtocolCache: Sendable {
    private let protocols = Mutex<[ObjectIdentifier: SwiftProtocol]>([:])

    func find(_ type: Any.Type, in center: peal_center) throws(PealError) -> SwiftProtocol {
        let key = ObjectIdentifier(type)
        if let known = protocols.withLock({ $0[key] }) { return known }
        let found = try SwiftProtocol(type, in: center)
        protocols.withLock { $0[key] = found }
        return found
    }

    /// Removes the ended protocol of a type. A protocol ends with its owner, for example.
    func remove(_ type: Any.Type) {
        let key = ObjectIdentifier(type)
        protocols.withLock { _ = $0.removeValue(forKey: key) }
    }
}

extension Center {
    /// Registers an object as an observer of a Swift type: of a protocol that it conforms to, or of a class.
    ///
    ///     protocol ChatObserver: AnyObject, Sendable { func didReceive(_ text: String) }
    ///
    ///     try center.observe((any ChatObserver).self, for: view)
    ///     try center.broadcast((any ChatObserver).self) { $0.didReceive("hello") }
    ///
    /// The object is a weak target: it is kept alive during each call, and once it has ended the registration ends.
    /// So the result need not be kept; it serves to block, or to end the registration early.
    ///
    /// - Parameters:
    ///   - type: The type of the calls.
    ///   - object: The observer. The same object on the same type and queue is refused, unless `options` allow
    ///     it.
    ///   - options: Options of the registration: `.priority(1)`, `.on(queue)`.
    /// - Returns: The registration, which stays when the result is dropped.
    /// - Throws: ``Status/duplicate``; ``Status/conformance`` for a value that is no object.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    @discardableResult
    public func observe<Observed: Sendable>(
        _ type: Observed.Type, for object: Observed, _ options: ObserverOption...
    ) throws(PealError) -> ObserverToken {
        try observe(type, object, options, isKept: false).keep()
    }

    /// Registers an object as an observer of a Swift type, and keeps the object alive meanwhile.
    ///
    ///     let observation = try center.observe((any ChatObserver).self, retaining: Recorder())
    ///
    /// - Parameters:
    ///   - type: The type of the calls.
    ///   - object: The observer. *Retained* until the observation has ended. The same object on the same type and queue
    ///     is refused, unless `options` allow it.
    ///   - options: Options of the registration.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: As ``observe(_:for:_:)``.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    public func observe<Observed: Sendable>(
        _ type: Observed.Type, retaining object: Observed, _ options: ObserverOption...
    ) throws(PealError) -> ObserverToken {
        try observe(type, object, options, isKept: true)
    }

    func observe<Observed: Sendable>(
        _ type: Observed.Type, _ object: Observed, _ options: [ObserverOption], isKept: Bool
    ) throws(PealError) -> ObserverToken {
        let observer = try Self.observer(object, of: type)
        let protocols = try swiftProtocols.find(type, in: handle)
        let isQueued = peal_observe_options(options).queue.id != 0
        let methods = SwiftProtocol.methods(isQueued: isQueued)
        let responses = SwiftResponses.make(ObserverBits(object), isQueued: isQueued)
        return try register(observer, responses, for: methods, of: protocols.handle, options, isKept: isKept)
    }

    /// Ends all registrations of an object for a Swift type.
    ///
    /// - Parameters:
    ///   - type: The type of the registration.
    ///   - object: The observer.
    /// - Returns: The number of removed registrations.
    /// - Throws: ``Status/conformance`` for a value that is no object.
    ///
    /// Thread rule: any thread. The C interface's `peal_observation_remove`, for each.
    @discardableResult
    public func unobserve<Observed: Sendable>(_ type: Observed.Type, for object: Observed) throws(PealError) -> Int {
        let observer = try Self.observer(object, of: type)
        let protocols = try swiftProtocols.find(type, in: handle)
        let found = ObservedObjects.observations(of: observer, on: protocols.handle)
        return found.count { peal_observation_remove($0) == PEAL_OK }
    }

    /// How many observers a Swift type has, blocked ones included.
    ///
    /// - Parameter type: The type of the registrations.
    /// - Returns: How many registrations there are now.
    /// - Throws: ``Status/handle`` when the center has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_protocol_count_observers`.
    public func observerCount<Observed: Sendable>(of type: Observed.Type) throws(PealError) -> Int {
        var count = 0
        try PealError.check(
            peal_protocol_count_observers(try swiftProtocols.find(type, in: handle).handle, &count))
        return count
    }

    /// The object of an observer.
    private static func observer<Observed: Sendable>(
        _ object: Observed, of type: Observed.Type
    ) throws(PealError) -> any AnyObject & Sendable {
        guard Swift.type(of: object as Any) is AnyClass else {
            throw PealError(
                status: .conformance,
                message: "\(Swift.type(of: object as Any)) is no class, so it cannot be an observer of "
                    + "\(type); make it a class")
        }
        // Unsafe: its type is Sendable, which has no trace at run time, so no cast can test it.
        return unsafeBitCast(object as AnyObject, to: (any AnyObject & Sendable).self)
    }
}
