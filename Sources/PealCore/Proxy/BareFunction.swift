internal import CPealSupport
import PealCall

/// A bare function that leads to a proxy: one of those that are there from the start, while there are any
/// left and the shape is theirs, or a closure of libffi.
enum BareFunction {
    /// Of one index there is one function at a time, for integers alone or for a frame.
    case ready(UInt32, takesIntegers: Bool)
    case closure(BareClosure)

    private static let free = Guarded<[UInt32]>((0..<UInt32(PEAL_ENTRY_BARE)).reversed())

    static func take(_ shape: CallShape, _ plan: CallPlan.Pointer, _ title: String) throws(Failure) -> BareFunction {
        ProxyEntry.leadToCalls
        if plan.pointee.frame?.canMoveUp ?? false, let index = free.withLock({ $0.popLast() }) {
            return .ready(index, takesIntegers: ProxyEntry.takesIntegers(plan))
        }
        let closure: BareClosure?
        do throws(OutOfMemory) {
            closure = try BareClosure.make(shape) { ProxyCall.arguments($0, 0, $1, $2) }
        } catch {
            throw .outOfMemory
        }
        guard let closure else { throw .forbidden(title) }
        return .closure(closure)
    }

    var function: UnsafeRawPointer? {
        switch self {
        case .ready(let index, let takesIntegers):
            (takesIntegers ? peal_entry_bare_of_integers(index) : peal_entry_bare_of_frame(index))
                .map { unsafeBitCast($0, to: UnsafeRawPointer.self) }
        case .closure(let closure): closure.function
        }
    }

    func lead(to number: UInt64) {
        switch self {
        case .ready(let index, _): peal_entry_set_bare(index, number)
        case .closure(let closure): closure.lead(to: number)
        }
    }

    /// For the next: what calls it still calls nobody.
    func giveBack() {
        switch self {
        case .ready(let index, _):
            peal_entry_set_bare(index, 0)
            Self.free.withLock { $0.append(index) }
        case .closure(let closure): closure.giveBack()
        }
    }
}
