internal import CPealSupport
import PealCall

/// Chooses the functions of tables by the registers that a call uses, not by its prototype.
enum MethodThunk {
    /// The function of a method.
    ///
    /// - Parameter index: The index of the method in its proxy.
    static func function(of plan: CallPlan.Pointer, index: Int, _ title: String) throws(Failure) -> UnsafeRawPointer {
        setsFunctions
        if let function = ready(plan, index: UInt32(index)) { return function }
        let closure = CallClosure.function(of: plan, index: index) { ThunkCall.arguments($0, $1, $2, $3) }
        guard let closure else { throw .forbidden(title) }
        return closure
    }

    private static func ready(_ plan: CallPlan.Pointer, index: UInt32) -> UnsafeRawPointer? {
        let function: (@convention(c) () -> Void)? =
            switch kind(of: plan) {
            case nil: nil
            case .integers: peal_thunk_of_integers(index)
            case .numbers: peal_thunk_of_numbers(index)
            case .frame: peal_thunk_of_frame(index)
            }
        return function.map { unsafeBitCast($0, to: UnsafeRawPointer.self) }
    }

    /// How a call is passed on.
    enum Kind {
        /// In registers: up to four integers. The result is void or an integer.
        case integers
        /// In registers: up to four integers and two floating-point numbers. The result may be such a number too. Not
        /// on every machine.
        case numbers
        /// In memory.
        case frame
    }

    /// - Returns: nil for shapes that have no frame.
    static func kind(of plan: CallPlan.Pointer) -> Kind? {
        guard let shape = plan.pointee.frame else { return nil }
        let isOfIntegers = shape.takesIntegers(upTo: PlainPath.maximumIntegers)
        let isOfNumbers =
            peal_thunk_has_numbers()
            && (isOfIntegers || shape.takesFewFloats(besidesIntegersUpTo: PlainPath.maximumIntegers))
        switch plan.pointee.resultLocation {
        case .none, .integer: return isOfIntegers ? .integers : isOfNumbers ? .numbers : .frame
        case .float: return isOfNumbers ? .numbers : .frame
        default: return .frame
        }
    }

    /// Done once, before the first function is handed out.
    static let setsFunctions: Void = {
        peal_thunks_set_functions(
            { ThunkCall.integers($0, $1, $2, $3, $4, $5) }, { ThunkCall.frame($0, $1, $2, $3) },
            { ThunkCall.numbers($0, $1, $2, $3, $4, $5, $6, $7) })
    }()
}

extension Failure {
    static func forbidden(_ title: String) -> Failure {
        Failure(
            .forbidden,
            "\(title): a call of this shape does not fit into registers and needs run-time code, which this system forbids or has no memory for; pass pointers instead of large structs, and fewer parameters"
        )
    }
}
