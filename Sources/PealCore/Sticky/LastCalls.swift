internal import CPealSupport
import PealCall

/// The last call of a sticky method, or the last one for each value of its key parameter. An observer that registers
/// later gets these calls once.
///
/// A broadcast keeps its call before it calls observers. A registration opens a *delivery* before it publishes the
/// observer, and the registering thread closes the delivery when it has delivered all calls. Both happen under the same
/// lock. So a broadcast either precedes the delivery, which then has its call, or it finds the delivery. In that case it
/// leaves the observer to the registering thread. An older call therefore never follows a newer one.
final class LastCalls: Sendable {
    /// The bytes of a key's value; empty for a method without a key.
    typealias Key = [UInt8]

    /// The gate of an observer, which is compared alone.
    struct Gate: @unchecked Sendable {
        // Unchecked: the observer's memory is not read.
        let pointer: UnsafePointer<UInt32>

        init(of observation: Observation) { pointer = UnsafePointer(observation.gate) }
    }

    private struct Call {
        let block: ArgumentBlock
        /// The rank of the call among all calls that were kept.
        let rank: UInt64
    }

    /// An observer whose registration has not returned.
    private struct Delivery {
        let gate: UnsafePointer<UInt32>
        /// The keys whose calls the registering thread has yet to deliver.
        var keys: [Key]
    }

    private struct State: @unchecked Sendable {
        // Unchecked: the gates are compared, and read by none of the functions here.
        var calls: [Key: Call] = [:]
        var deliveries: [Delivery] = []
        var ranks: UInt64 = 0
        var isEnded = false
    }

    private let state = Guarded(State())
    /// The parameter whose values have a call each.
    private let keyParameter: Int?
    private let isTextKey: Bool
    private let keySize: Int

    init(_ declaration: MethodDeclaration, _ plan: CallPlan.Pointer) {
        keyParameter = declaration.sticky?.keyParameter
        isTextKey = keyParameter.map { declaration.signature.parameters[$0].ownership == .string } ?? false
        keySize = keyParameter.map { Int(plan.pointee.parameterSizes[$0]) } ?? 0
    }

    var hasKeys: Bool { keyParameter != nil }

    /// The part of a list that a broadcast reaches.
    struct Reach: @unchecked Sendable {
        // Unchecked: the gates are those of observers in a list that the broadcast protects.

        /// The number of the list's entries.
        let count: Int
        /// The gates of the observers that the registering threads call.
        let leftOut: [UnsafePointer<UInt32>]
        /// The call that was the last one before; released with no lock held.
        fileprivate let replaced: ArgumentBlock?
    }

    /// Keeps a call.
    ///
    /// - Parameter list: The list that the broadcast protects.
    /// - Returns: nil if another list is current by now, or the list is unsettled; then nothing was kept. An observer
    ///   whose delivery has ended may be missing in the list.
    func keep(_ block: ArgumentBlock, as key: Key, for list: Broadcast.List, of element: MethodElement) -> Reach? {
        state.withLock { state -> Reach? in
            guard Broadcast.List(peal_directory_current(element)) == list, !list.isUnsettled else { return nil }
            let replaced = state.calls[key]?.block
            if !state.isEnded {
                state.ranks += 1
                state.calls[key] = Call(block: block, rank: state.ranks)
            }
            for index in state.deliveries.indices where !state.deliveries[index].keys.contains(key) {
                state.deliveries[index].keys.append(key)
            }
            return Reach(
                count: Int(peal_snapshot_count(list)), leftOut: state.deliveries.map { $0.gate }, replaced: replaced)
        }
    }

    /// Opens the delivery of an observer that is about to be published.
    func open(for gate: Gate) {
        state.withLock { state in
            let keys = state.calls.ordered { SortKey(UInt64($0.value.rank)) }.map { $0.key }
            state.deliveries.append(
                Delivery(gate: gate.pointer, keys: keys))
        }
    }

    /// Returns the next call to deliver. Without one it closes the delivery and returns nil.
    func next(for gate: Gate) -> ArgumentBlock? {
        return state.withLock { state -> ArgumentBlock? in
            guard let index = state.deliveries.firstIndex(where: { $0.gate == gate.pointer }) else { return nil }
            while !state.deliveries[index].keys.isEmpty {
                // A cleared call is not delivered.
                if let call = state.calls[state.deliveries[index].keys.removeFirst()] { return call.block }
            }
            state.deliveries.remove(at: index)
            return nil
        }
    }

    /// Ends the kept calls: that of one key, or all. They are released with no lock held.
    func clear(_ key: Key?) {
        let cleared = state.withLock { state -> [ArgumentBlock] in
            if let key { return state.calls.removeValue(forKey: key).map { [$0.block] } ?? [] }
            defer { state.calls = [:] }
            return state.calls.values.map { $0.block }
        }
        withExtendedLifetime(cleared) {}
    }

    /// Ends the kept calls of a method that has ended. No lock may be held.
    func end() {
        state.withLock { $0.isEnded = true }
        clear(nil)
    }

    var count: Int { state.withLock { $0.calls.count } }

    /// The key of a call.
    ///
    /// - Parameter arguments: One pointer for each parameter.
    func key(of arguments: Broadcast.Arguments?) -> Key {
        guard let keyParameter, let value = arguments?[keyParameter] else { return [] }
        return key(at: value)
    }

    /// The key with a value. A text is compared by its bytes; NULL is a key, too.
    func key(at value: UnsafeRawPointer) -> Key {
        guard isTextKey else { return Key(UnsafeRawBufferPointer(start: value, count: keySize)) }
        guard let text = value.loadUnaligned(as: UnsafeRawPointer?.self) else { return [] }
        return [1] + UnsafeRawBufferPointer(start: text, count: strlen(text.assumingMemoryBound(to: CChar.self)))
    }
}
