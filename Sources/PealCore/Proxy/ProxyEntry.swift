internal import CPealSupport
import PealCall

/// Chooses the functions of tables: by what a call leaves in registers, not by its prototype.
enum ProxyEntry {
    /// The function of a method.
    ///
    /// - Parameter index: The method's, in its proxy.
    static func function(of plan: CallPlan.Pointer, index: Int, _ title: String) throws(Failure) -> UnsafeRawPointer {
        leadToCalls
        if let function = ready(plan, index: UInt32(index)) { return function }
        let closure = CallClosure.function(of: plan, index: index) { EntryCall.arguments($0, $1, $2, $3) }
        guard let closure else { throw .forbidden(title) }
        return closure
    }

    private static func ready(_ plan: CallPlan.Pointer, index: UInt32) -> UnsafeRawPointer? {
        guard plan.pointee.frame != nil else { return nil }
        let function =
            takesIntegers(plan)
            ? peal_entry_of_integers(index)
            : takesNumbers(plan) ? peal_entry_of_numbers(index) : peal_entry_of_frame(index)
        return function.map { unsafeBitCast($0, to: UnsafeRawPointer.self) }
    }

    /// Whether there are up to four integers, and the result is none or another.
    static func takesIntegers(_ plan: CallPlan.Pointer) -> Bool {
        let place = plan.pointee.resultPlace
        return (plan.pointee.frame?.takesIntegers(upTo: PlainPath.mostIntegers) ?? false)
            && (place == .none || place == .integer)
    }

    /// The same with up to two floats among them.
    private static func takesNumbers(_ plan: CallPlan.Pointer) -> Bool {
        let place = plan.pointee.resultPlace
        return (plan.pointee.frame?.takesFewFloats(besidesIntegersUpTo: PlainPath.mostIntegers) ?? false)
            && (place == .none || place == .integer)
    }

    /// Done once, before the first function is handed out.
    static let leadToCalls: Void = {
        peal_entries_lead_to(
            { EntryCall.integers($0, $1, $2, $3, $4, $5) }, { EntryCall.frame($0, $1, $2, $3) },
            { EntryCall.numbers($0, $1, $2, $3, $4, $5, $6, $7) })
    }()
}

extension Failure {
    static func forbidden(_ title: String) -> Failure {
        Failure(
            .forbidden,
            "\(title): a call of this shape does not travel in registers, and needs code that is made at run time; this system forbids that, or memory is short; pass pointers instead of large structs, and fewer parameters")
    }
}
