internal import CPealSupport
import PealCall

/// A bare function that calls a proxy: a ready-made thunk, if one is left and fits the shape, or a closure of libffi.
enum BareFunction {
    case ready(UInt32, MethodThunk.Kind, CallShape)
    case closure(BareClosure)

    /// The ready-made thunks. A program may call a thunk after its proxy has ended, so a thunk is reused for the same
    /// shape only.
    private struct Ready {
        var next: UInt32 = 0
        var free: [CallShape: [UInt32]] = [:]

        mutating func take(_ shape: CallShape) -> UInt32? {
            if let index = free[shape]?.popLast() { return index }
            guard next < UInt32(PEAL_THUNK_BARE) else { return nil }
            defer { next += 1 }
            return next
        }
    }

    private static let ready = Guarded(Ready())

    static func take(_ shape: CallShape, _ plan: CallPlan.Pointer, _ title: String) throws(Failure) -> BareFunction {
        MethodThunk.setsFunctions
        if let kind = MethodThunk.kind(of: plan), plan.pointee.frame?.canMoveUp ?? false,
            let index = ready.withLock({ $0.take(shape) })
        {
            return .ready(index, kind, shape)
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
        case .ready(let index, let kind, _):
            Self.ready(kind, index).map { unsafeBitCast($0, to: UnsafeRawPointer.self) }
        case .closure(let closure): closure.function
        }
    }

    private static func ready(_ kind: MethodThunk.Kind, _ index: UInt32) -> (@convention(c) () -> Void)? {
        switch kind {
        case .integers: peal_thunk_bare_of_integers(index)
        case .numbers: peal_thunk_bare_of_numbers(index)
        case .frame: peal_thunk_bare_of_frame(index)
        }
    }

    func connect(to id: UInt64) {
        switch self {
        case .ready(let index, _, _): peal_thunk_set_bare(index, id)
        case .closure(let closure): closure.connect(to: id)
        }
    }

    /// Frees the function for reuse. Until it is reused, a call of it reaches no target.
    func recycle() {
        switch self {
        case .ready(let index, _, let shape):
            peal_thunk_set_bare(index, 0)
            Self.ready.withLock { $0.free[shape, default: []].append(index) }
        case .closure(let closure): closure.recycle()
        }
    }
}
