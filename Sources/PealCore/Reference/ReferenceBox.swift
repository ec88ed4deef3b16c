internal import CPealSupport
import Synchronization

/// A pointer to a counted object. Who has it owns a part of the memory, or of the object, as said.
public struct ReferenceBox: @unchecked Sendable {
    // Unchecked: everything behind it is atomic or constant.
    private let memory: UnsafeMutablePointer<CountedObject>

    /// What a C record keeps of it.
    public var address: UnsafeMutableRawPointer { UnsafeMutableRawPointer(memory) }

    public init(address: UnsafeMutableRawPointer) {
        memory = address.assumingMemoryBound(to: CountedObject.self)
    }

    /// A box with one share of the object and one more owner of the memory.
    ///
    /// - Returns: nil when memory is short.
    static func make(
        _ object: UnsafeMutableRawPointer, destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?,
        number: UInt64
    ) -> ReferenceBox? {
        guard let address = peal_memory_allocate(MemoryLayout<CountedObject>.size) else { return nil }
        let memory = address.bindMemory(to: CountedObject.self, capacity: 1)
        memory.initialize(
            to: CountedObject(
                shares: Atomic(1), owners: Atomic(2), object: object, destroy: destroy, number: number))
        return ReferenceBox(address: address)
    }

    public enum Retained { case yes, dead, tooOften }

    public var object: UnsafeMutableRawPointer { memory.pointee.object }
    var destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)? { memory.pointee.destroy }
    public var count: UInt32 { memory.pointee.shares.load(ordering: .relaxed) }

    /// Takes a share of the object, if it is alive.
    public func retain() -> Bool { tryRetain() == .yes }

    func tryRetain() -> Retained {
        var shares = memory.pointee.shares.load(ordering: .relaxed)
        while shares > 0 {
            guard shares < .max else { return .tooOften }
            let (exchanged, found) = memory.pointee.shares.weakCompareExchange(
                expected: shares, desired: shares + 1, successOrdering: .acquiring, failureOrdering: .relaxed)
            if exchanged { return .yes }
            shares = found
        }
        return .dead
    }

    /// Gives a share back. The last one ends the object: call with no lock held.
    ///
    /// - Returns: false when the object was dead already.
    @discardableResult
    public func release() -> Bool {
        // Never below zero: a release too many must not bring the object back.
        var shares = memory.pointee.shares.load(ordering: .relaxed)
        while shares > 0 {
            let (exchanged, found) = memory.pointee.shares.weakCompareExchange(
                expected: shares, desired: shares - 1, successOrdering: .acquiringAndReleasing,
                failureOrdering: .relaxed)
            if exchanged {
                if shares == 1 { end() }
                return true
            }
            shares = found
        }
        return false
    }

    private func end() {
        Handles.references.retire(memory.pointee.number)
        memory.pointee.destroy?(object)
        Handles.references.recycle(memory.pointee.number)
        disown()
    }

    /// Keeps the memory, so that `retain` may be asked for as long.
    public func own() {
        memory.pointee.owners.wrappingAdd(1, ordering: .relaxed)
    }

    /// Takes an `own` back.
    public func disown() {
        guard memory.pointee.owners.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        memory.deinitialize(count: 1)
        peal_memory_free(address)
    }
}
