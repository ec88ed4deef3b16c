internal import CPealSupport
import PealCall

/// The captured arguments of one broadcast with one item for each queue, in one allocation. The release of the last
/// item frees it.
enum CapturedCall {
    typealias Pointer = UnsafeMutablePointer<peal_kept_call>

    /// Captures the arguments. The items exist but refer to no group yet.
    ///
    /// - Parameters:
    ///   - completion: The completion that waits for answers; 0: none.
    ///   - tapped: The broadcast as taps see it.
    @inline(__always)
    static func make(
        _ carrier: Carrier, copying: CopyPlan.Pointer, itemCount: Int, completion: UInt64,
        tapped: UnsafeMutablePointer<peal_tapped>?
    ) throws(Broadcast.Outcome) -> Pointer {
        guard copying.pointee.isPlain else {
            return try makeDeep(carrier, copying: copying, itemCount: itemCount, completion: completion, tapped: tapped)
        }
        let call = try allocate(copying.pointee.fixedSize, itemCount: itemCount, completion: completion, tapped: tapped)
        guard copying.copyValues(carrier, to: peal_call_arguments(call)) else {
            peal_memory_free(call)
            throw .nullArgument
        }
        return call
    }

    /// Also captures the pointed-to values.
    @inline(never)
    private static func makeDeep(
        _ carrier: Carrier, copying: CopyPlan.Pointer, itemCount: Int, completion: UInt64,
        tapped: UnsafeMutablePointer<peal_tapped>?
    ) throws(Broadcast.Outcome) -> Pointer {
        guard copying.isComplete(carrier) else { throw .nullArgument }
        var made: Result<Pointer, Broadcast.Outcome> = .failure(.outOfMemory)
        copying.withArguments(of: carrier) { arguments in
            made = Result { () throws(Broadcast.Outcome) in
                let call = try allocate(
                    copying.size(of: arguments), itemCount: itemCount, completion: completion, tapped: tapped)
                do throws(CaptureFailure) {
                    try copying.capture(arguments, into: peal_call_arguments(call))
                } catch {
                    peal_memory_free(call)
                    throw .captureFailed
                }
                return call
            }
        }
        return try made.get()
    }

    @inline(__always)
    private static func allocate(
        _ size: Int, itemCount: Int, completion: UInt64, tapped: UnsafeMutablePointer<peal_tapped>?
    ) throws(Broadcast.Outcome) -> Pointer {
        let extras = peal_call_extras(completion, tapped != nil)
        let header = peal_call_header(UInt32(itemCount), extras)
        guard let memory = peal_memory_allocate_unset(header + size) else { throw .outOfMemory }
        let call = memory.bindMemory(to: peal_kept_call.self, capacity: 1)
        peal_call_begin(call, UInt32(itemCount), extras, completion)
        if let tapped { peal_tapped_prepare(tapped, call) }
        return call
    }

    @inline(__always)
    static func free(_ call: Pointer, copying: UnsafeRawPointer) {
        let copying = copying.assumingMemoryBound(to: CopyPlan.self)
        if !copying.pointee.isPlain { copying.release(peal_call_arguments(call)) }
        peal_memory_free(call)
    }
}
