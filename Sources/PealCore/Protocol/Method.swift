internal import CPealSupport
public import PealCall

/// A method of a protocol, its own or adopted. The object never changes, because the observers are in the method's
/// element of the directory.
public final class Method: Sendable {
    public let id: UInt64
    // The next member fills the rest of the declaration's last word.
    public let declaration: MethodDeclaration
    let traits: MethodTraits
    private let storedRank: UInt32
    /// The protocol that the handle names. A broadcast reaches the observers that conform to it.
    public let owner: PealProtocol
    /// The protocol that declares the method, whose table contains its function.
    let origin: PealProtocol
    /// The position of its function in the origin's table.
    var rank: Int { Int(storedRank) }
    // The plans are never freed, and safe to use on any thread.
    nonisolated(unsafe) let plan: CallPlan.Pointer
    nonisolated(unsafe) let copyPlan: CopyPlan.Pointer
    /// The element is never unmapped. Once the method has ended, another method may have it.
    var element: MethodElement { peal_directory_find(id).unsafelyUnwrapped }
    /// The calls for later observers; nil for a method that is not sticky.
    let lastCalls: LastCalls?

    private init(
        id: UInt64, declaration: MethodDeclaration, owner: PealProtocol, origin: PealProtocol,
        rank: Int, plan: CallPlan.Pointer, copyPlan: CopyPlan.Pointer
    ) {
        self.id = id
        self.declaration = declaration
        self.owner = owner
        self.origin = origin
        storedRank = UInt32(clamping: rank)
        self.plan = plan
        self.copyPlan = copyPlan
        traits = MethodTraits(declaration, plan: plan)
        lastCalls = declaration.sticky == nil ? nil : LastCalls(declaration, plan)
    }

    /// Makes a method without observers, with its handle and its element.
    static func make(
        _ declaration: MethodDeclaration, owner: PealProtocol, origin: PealProtocol, rank: Int
    ) throws(Failure) -> Method {
        let (plan, copyPlan) = try plans(for: declaration)
        let method = try Handles.methods.insert { (id) throws(Failure) in
            guard peal_directory_find(id) != nil else { throw .outOfMemory }
            let method = Method(
                id: id, declaration: declaration, owner: owner, origin: origin, rank: rank,
                plan: plan, copyPlan: copyPlan)
            method.open()
            return method
        }
        if method.element.needsList { try method.publishEmptyList() }
        return method
    }

    private func publishEmptyList() throws(Failure) {
        do throws(Failure) {
            peal_directory_publish(element, try Snapshot.make(for: element, capacity: 0))
        } catch {
            close()
            throw error
        }
    }

    private static func plans(
        for declaration: MethodDeclaration
    ) throws(Failure) -> (CallPlan.Pointer, CopyPlan.Pointer) {
        do {
            let shape = declaration.signature.callShape
            return (try CallPlanCache.plan(for: shape), try CopyPlanCache.plan(for: declaration, shape.parameters))
        } catch {
            throw .outOfMemory
        }
    }

    private func open() {
        let kinds = UnsafeRawPointer(plan.pointee.variadicKinds).assumingMemoryBound(to: UInt8.self)
        // The element may have been that of another method.
        peal_directory_set_taps(element, taps)
        peal_directory_open(
            element, id, UnsafeRawPointer(plan), traits.rawValue, UInt32(plan.pointee.parameterCount), kinds)
    }

    /// Makes the handle stale, and retires what readers may still protect: the element, and the list of observers if
    /// there is one. The caller must hold the center's lock.
    func close() {
        MethodNames.remove(self)
        let current = peal_directory_current(element)
        let list: [Reclaimer.Retired] = current == peal_directory_empty_list(element) ? [] : [.list(current)]
        peal_directory_close(element)
        Handles.methods.retire(id)
        Reclaimer.retire(list + [.element(id)])
    }

    /// "Chat.on_message"
    var title: String { "\(origin.name).\(declaration.signature.name)" }

    public var name: String { declaration.signature.name }

    public var usesFrame: Bool { plan.pointee.frame != nil }

    /// The list of observers, or nil if there are none. The caller must hold the center's lock.
    var list: Snapshot? { element.list }

    /// The number of listed observers, without those that have ended, and a probe of their targets. A service counts
    /// once, by its placeholder.
    ///
    /// The caller must hold the center's lock: otherwise a replaced list could be freed meanwhile.
    func listedObservers() -> (count: Int, probe: WeakProbe) {
        let listed = listedRecords
        return (listed.count, WeakProbe(listed))
    }

    /// The listed observers that have not ended, in no order. A service is one, its placeholder. The caller must hold
    /// the center's lock.
    var listedRecords: [Observer] { list?.living.filter { !$0.isOfLazy }.map { $0.record } ?? [] }
}

extension Signature {
    var callShape: CallShape {
        CallShape(result: result.shape, parameters: parameters.map { $0.shape })
    }
}
