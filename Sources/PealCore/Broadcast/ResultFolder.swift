internal import CPealSupport
import PealCall

/// Makes one result of many, by a policy.
struct ResultFolder {
    let policy: BroadcastPolicy
    /// Discards results.
    let dropsResults: Bool
    private(set) var isTruncated = false

    private let kind: ResultKind
    private let size: Int
    private let request: BroadcastRequest
    /// The argument that a chain begins with.
    private let chained: UnsafeMutableRawPointer?
    private var taken = 0

    init(
        policy: BroadcastPolicy, plan: CallPlan.Pointer, request: BroadcastRequest,
        chained: UnsafeMutableRawPointer?
    ) {
        self.policy = policy
        self.request = request
        self.chained = chained
        kind = plan.pointee.resultKind
        size = plan.pointee.resultSize
        dropsResults = policy == .all || policy == .last && request.result == nil
        if policy == .collect { request.collection?.pointee.count = 0 }
    }

    /// Takes the result of one call. Returns false to stop the broadcast.
    @inline(__always)
    mutating func take(_ result: UnsafeMutableRawPointer) -> Bool {
        defer { taken += 1 }
        switch policy {
        case .all: return true
        case .firstTrue, .firstNonzero:
            store(result)
            return !kind.isNonzero(result)
        case .last: store(result)
        case .sum, .min, .max:
            if taken == 0 { store(result) } else { combine(result) }
        case .any: storeTruth(kind.isNonzero(result) || taken > 0 && isTrueSoFar)
        case .every: storeTruth(kind.isNonzero(result) && (taken == 0 || isTrueSoFar))
        case .collect: collect(result)
        case .chain:
            store(result)
            return request.fold?(request.foldContext, request.result, result) ?? true
        case .fold: return request.fold?(request.foldContext, request.result, result) ?? false
        }
        return true
    }

    /// Fills in a result that no call has stored: after a broadcast without calls, or with the policy `all`.
    func finish(calls: Int) {
        guard let destination = request.result, policy != .fold, policy != .collect else { return }
        if calls > 0 {
            if policy == .all { destination.initializeMemory(as: UInt8.self, repeating: 0, count: size) }
        } else if let given = request.defaultResult {
            destination.copyMemory(from: given, byteCount: size)
        } else if policy == .chain, let chained {
            destination.copyMemory(from: chained, byteCount: size)
        } else {
            destination.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            if policy == .every { storeTruth(true) }
        }
    }

    private func store(_ result: UnsafeMutableRawPointer) {
        // Most results have eight or four bytes. A call to copy them would cost more than these stores.
        if size == 8 {
            request.result?.storeBytes(of: result.loadUnaligned(as: UInt64.self), as: UInt64.self)
        } else if size == 4 {
            request.result?.storeBytes(of: result.loadUnaligned(as: UInt32.self), as: UInt32.self)
        } else {
            request.result?.copyMemory(from: result, byteCount: size)
        }
    }

    private var isTrueSoFar: Bool {
        request.result.map { kind.isNonzero($0) } ?? false
    }

    /// One in the first byte and zeros after it: true as a bool and as an integer of any size, on the
    /// little-endian machines that peal runs on.
    private func storeTruth(_ truth: Bool) {
        guard let destination = request.result else { return }
        destination.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        destination.storeBytes(of: truth ? 1 : 0, as: UInt8.self)
    }

    private func combine(_ result: UnsafeMutableRawPointer) {
        guard let destination = request.result else { return }
        switch policy {
        case .sum: kind.add(result, to: destination)
        case .min: if kind.isLess(result, than: destination) { store(result) }
        case .max: if kind.isLess(destination, than: result) { store(result) }
        default: break
        }
    }

    private mutating func collect(_ result: UnsafeMutableRawPointer) {
        guard let collection = request.collection else { return }
        guard let values = collection.pointee.values, taken < CallerSize.clamped(collection.pointee.capacity) else {
            isTruncated = true
            return
        }
        (values + taken * size).copyMemory(from: result, byteCount: size)
        collection.pointee.count = taken + 1
    }
}
