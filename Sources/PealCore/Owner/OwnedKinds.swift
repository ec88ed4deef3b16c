internal import CPealSupport
import PealCall

extension Owner {
    /// The kinds of owned objects, in the order in which a retired owner ends them. Modules are the first: what stops may
    /// use what else belongs to the owner.
    static var kinds: [any OwnedObject.Type] {
        [
            Module.self, Service.self, Observation.self, Timer.self, Queue.self, Property.self, Proxy.self,
            PealProtocol.self, Completion.self, OwnedType.self,
        ]
    }
}

extension Module: OwnedObject {
    var ownedKey: UInt64 { number }
    var isFinished: Bool { false }

    static func end(_ objects: [any OwnedObject], of owner: Owner, deadline: UInt64) {
        for modules in Dictionary(grouping: objects.compactMap(cast), by: \.mediator.center.number).values {
            modules.first?.mediator.retire(modules, of: owner.name, deadline: deadline)
        }
    }
}

extension Service: OwnedObject {
    var ownedKey: UInt64 { number }
    var isHeldUpHere: Bool { isRunningHere }
    var isFinished: Bool { false }

    /// Ends the services of a center together.
    static func end(_ objects: [any OwnedObject], of owner: Owner, deadline: UInt64) {
        for services in Dictionary(grouping: objects.compactMap(cast), by: \.center.number).values {
            services.first?.center.services.end(services)
        }
    }
}

extension Observation: RecordKeeper {
    var ownedKey: UInt64 { number }
    var keepers: [any RecordKeeper] { called }
    var ownRecord: UnsafeMutablePointer<ObserverRecord>? { record }

    func end(of owner: Owner) {
        if close() { unlist() } else { endDraining() }
    }
}

extension Timer: RecordKeeper {
    var ownedKey: UInt64 { number }
    var ownRecord: UnsafeMutablePointer<ObserverRecord>? { observer }

    func end(of owner: Owner) {
        if !close() { endDraining() }
    }
}

extension Queue: OwnedObject {
    var ownedKey: UInt64 { number }
    var isHeldUpHere: Bool { mailbox.isInUseHere }

    func end(of owner: Owner) {
        try? end()
    }
}

extension Property: OwnedObject {
    var ownedKey: UInt64 { number }

    func end(of owner: Owner) {
        center.giveUp(self, of: owner.number)
        owner.remove(self)
    }
}

extension Proxy: RecordKeeper {
    var ownedKey: UInt64 { number }
    var ownRecord: UnsafeMutablePointer<ObserverRecord>? { target?.record }

    func end(of owner: Owner) {
        endDraining()
        _ = try? Proxy.end(number)
    }
}

extension PealProtocol: OwnedObject {
    var ownedKey: UInt64 { number }

    func end(of owner: Owner) {
        center.giveUp(self, of: owner.number)
        owner.remove(self)
    }
}

extension Completion: OwnedObject {
    var ownedKey: UInt64 { number }
    var isHeldUpHere: Bool { isCalling(on: UInt(bitPattern: peal_thread_own_slot())) }
    var isFinished: Bool { false }

    func end(of owner: Owner) {
        finish()
    }
}

/// A type of a center whose functions are the owner's.
final class OwnedType: OwnedObject {
    private let center: Center
    private let name: String
    /// The functions, once the type has ended: captured arguments may need them.
    private let hooks = Guarded<TypeHooks?>(nil)

    init(center: Center, name: String) {
        self.center = center
        self.name = name
    }

    /// No handle has the address as its number.
    var ownedKey: UInt64 { UInt64(UInt(bitPattern: ObjectIdentifier(self))) }

    var isFinished: Bool { hooks.withLock { $0.map { $0.outstanding == 0 } ?? true } }

    func end(of owner: Owner) {
        let ended = try? center.unmanageType(name)
        hooks.withLock { $0 = ended }
    }
}
