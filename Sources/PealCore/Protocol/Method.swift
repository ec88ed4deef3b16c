internal import CPealSupport
public import PealCall

/// A method of a protocol, its own or adopted. Never changes; who observes it is in its place.
public final class Method: Sendable {
    public let number: UInt64
    public let declaration: MethodDeclaration
    /// The protocol that the handle names: a broadcast reaches those that conform to it.
    public let owner: PealProtocol
    /// The protocol that declares it, in whose table its function stands.
    let origin: PealProtocol
    /// Its rank among the origin's own methods.
    let rank: Int
    let traits: MethodTraits
    // The plans and the place live forever, and each is safe to use from any thread.
    nonisolated(unsafe) let plan: CallPlan.Pointer
    nonisolated(unsafe) let copyPlan: CopyPlan.Pointer
    nonisolated(unsafe) let place: MethodPlace

    private init(
        number: UInt64, declaration: MethodDeclaration, owner: PealProtocol, origin: PealProtocol,
        rank: Int, plan: CallPlan.Pointer, copyPlan: CopyPlan.Pointer,
        place: MethodPlace
    ) {
        self.number = number
        self.declaration = declaration
        self.owner = owner
        self.origin = origin
        self.rank = rank
        self.plan = plan
        self.copyPlan = copyPlan
        self.place = place
        traits = MethodTraits(declaration, plan: plan)
    }

    /// Makes a method that nobody observes, with its handle and its place.
    static func make(
        _ declaration: MethodDeclaration, owner: PealProtocol, origin: PealProtocol, rank: Int
    ) throws(Failure) -> Method {
        let (plan, copyPlan) = try plans(for: declaration)
        let method = try Handles.methods.insert { (number) throws(Failure) in
            guard let place = peal_directory_find(number) else { throw .outOfMemory }
            let method = Method(
                number: number, declaration: declaration, owner: owner, origin: origin, rank: rank,
                plan: plan, copyPlan: copyPlan, place: place)
            method.open()
            return method
        }
        if method.traits.hasCompletion { try method.publishEmptyList() }
        return method
    }

    /// A broadcast to nobody that has a completion must end it: the place's `nobody` is a way around that.
    private func publishEmptyList() throws(Failure) {
        do throws(Failure) {
            peal_directory_publish(place, try Snapshot.make(for: place, capacity: 0))
        } catch {
            close()
            throw error
        }
    }

    private static func plans(
        for declaration: MethodDeclaration
    ) throws(Failure) -> (CallPlan.Pointer, CopyPlan.Pointer) {
        do {
            return (
                try CallPlanCache.plan(for: declaration.signature.callShape),
                try CopyPlanCache.plan(for: declaration)
            )
        } catch {
            throw .outOfMemory
        }
    }

    private func open() {
        let kinds = UnsafeRawPointer(plan.pointee.variadicKinds).assumingMemoryBound(to: UInt8.self)
        peal_directory_open(
            place, number, UnsafeRawPointer(plan), traits.rawValue, UInt32(plan.pointee.parameterCount), kinds)
    }

    /// Makes the handle stale, and retires what readers may still hold: the place, and the list of observers if
    /// there is one. The caller must hold the center's lock.
    func close() {
        MethodNames.remove(self)
        let current = peal_directory_current(place)
        let list: [Reclaimer.Retired] = current == peal_directory_nobody(place) ? [] : [.list(current)]
        peal_directory_close(place)
        Handles.methods.retire(number)
        Reclaimer.retire(list + [.place(number)])
    }

    /// "Chat.on_message"
    var title: String { "\(origin.name).\(declaration.signature.name)" }

    public var name: String { declaration.signature.name }

    public var usesFrame: Bool { plan.pointee.frame != nil }

    /// The list of observers; nil while there are none. The caller must hold the center's lock.
    var list: Snapshot? { place.list }

    /// How many observers are listed, those that wait to be dropped not counted, and a probe of their targets. A
    /// service counts once, by its place.
    ///
    /// Under the center's lock: a list that is replaced meanwhile could be freed.
    func listedObservers() -> (count: Int, probe: WeakProbe) {
        let listed = list?.living.filter { !$0.isOfLazy } ?? []
        return (listed.count, WeakProbe(listed.map { $0.record }))
    }
}

extension Signature {
    var callShape: CallShape {
        CallShape(result: result.shape, parameters: parameters.map { $0.shape })
    }
}
