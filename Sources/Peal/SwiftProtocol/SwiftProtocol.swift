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
