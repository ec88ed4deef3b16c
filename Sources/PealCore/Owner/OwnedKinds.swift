internal import CPealSupport
import PealCall

/// The kinds of owned objects, in the order in which a retired owner ends them. Modules are the first: a module that
/// stops may use other objects of the owner.
enum OwnedKind: CaseIterable {
    case module, service, observer, timer, queue, property, proxy, proto, completion, type

    /// Ends the objects of this kind. Objects that have ended already are among them, if their functions may still be
    /// called.
    func end(_ objects: [any OwnedObject], _ observers: KeptObservers, of owner: Owner, deadline: UInt64) {
        let objects = objects.filter { $0.kind == self }
        switch self {
        case .observer: for record in observers.records { record.endWithOwner() }
        case .module: Module.end(objects.compactMap(Module.cast), of: owner, deadline: deadline)
        case .service: Service.end(objects.compactMap(Service.cast))
        default: for object in objects { object.end(of: owner) }
        }
    }
}

extension Module: OwnedObject {
    static var kind: OwnedKind { .module }
    var ownedKey: UInt64 { id }
    var isFinished: Bool { false }

    fileprivate static func end(_ modules: [Module], of owner: Owner, deadline: UInt64) {
        for modules in Dictionary(grouping: modules, by: { $0.mediator.center.id }).values {
            modules.first?.mediator.retire(modules, of: owner.name, deadline: deadline)
        }
    }
}

extension Service: OwnedObject {
    static var kind: OwnedKind { .service }
    var ownedKey: UInt64 { id }
    var isBlockedHere: Bool { isRunningHere }
    var isFinished: Bool { false }

    /// Ends the services of a center together.
    fileprivate static func end(_ services: [Service]) {
        for services in Dictionary(grouping: services, by: { $0.center.id }).values {
            services.first?.center.services.end(services)
        }
    }
}

extension Observer {
    /// Ends the observer. If it is ending already, discards its waiting calls.
    fileprivate func endWithOwner() {
        guard !close() else { return unlist() }
        let instances = lazyObserver?.instances ?? []
        defer { extendLifetime(instances) }
        for record in instances.map({ $0.record }) { record.endDraining() }
        endDraining()
    }
}

extension Timer: RecordKeeper {
    static var kind: OwnedKind { .timer }
    var ownedKey: UInt64 { id }
    var ownRecord: UnsafeMutablePointer<ObserverRecord>? { observer }

    func end(of owner: Owner) {
        if !close() { endDraining() }
    }
}

extension Queue: OwnedObject {
    static var kind: OwnedKind { .queue }
    var ownedKey: UInt64 { id }
    var isBlockedHere: Bool { mailbox.isInUseHere }

    func end(of owner: Owner) {
        try? end()
    }
}

extension Property: OwnedObject {
    static var kind: OwnedKind { .property }
    var ownedKey: UInt64 { id }

    func end(of owner: Owner) {
        center.removeDefiner(self, of: owner.id)
        owner.remove(self)
    }
}

extension Proxy: RecordKeeper {
    static var kind: OwnedKind { .proxy }
    var ownedKey: UInt64 { id }
    var ownRecord: UnsafeMutablePointer<ObserverRecord>? { target?.record }

    func end(of owner: Owner) {
        endDraining()
        _ = try? Proxy.end(id)
    }
}

extension PealProtocol: OwnedObject {
    static var kind: OwnedKind { .proto }
    var ownedKey: UInt64 { id }

    func end(of owner: Owner) {
        center.removeDefiner(self, of: owner.id)
        owner.remove(self)
    }
}

extension Completion: OwnedObject {
    static var kind: OwnedKind { .completion }
    var ownedKey: UInt64 { id }
    var isBlockedHere: Bool { isCalling(on: UInt(bitPattern: peal_thread_own_slot())) }
    var isFinished: Bool { isLeftBehind }

    func end(of owner: Owner) {
        finish()
    }
}

/// A type of a center whose functions are the owner's.
final class OwnedType: OwnedObject {
    static var kind: OwnedKind { .type }
    private let center: Center
    private let name: String
    /// The functions, once the type has ended: captured arguments may need them.
    private let hooks = Guarded<TypeHooks?>(nil)

    init(center: Center, name: String) {
        self.center = center
        self.name = name
    }

    /// No handle has the address as its id.
    var ownedKey: UInt64 { UInt64(UInt(bitPattern: ObjectIdentifier(self))) }

    var isFinished: Bool { hooks.withLock { $0.map { $0.outstanding == 0 } ?? true } }

    func end(of owner: Owner) {
        let ended = try? center.unmanageType(name)
        hooks.withLock { $0 = ended }
    }
}

/// A codec whose functions are the owner's. The type may be another owner's.
final class OwnedCodec: OwnedObject {
    static var kind: OwnedKind { .type }
    private let center: Center
    private let name: String
    private let codec: TypeCodec

    init(center: Center, name: String, codec: TypeCodec) {
        self.center = center
        self.name = name
        self.codec = codec
    }

    /// No handle has the address as its id.
    var ownedKey: UInt64 { UInt64(UInt(bitPattern: ObjectIdentifier(self))) }

    func end(of owner: Owner) {
        center.removeCodec(codec, of: name)
    }
}
