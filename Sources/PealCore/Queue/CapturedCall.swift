internal import CPealSupport
import PealCall

/// The captured arguments of one broadcast with one item for each queue, in one allocation. The release of the last
/// item frees it.
enum CapturedCall {
    typealias Pointer = UnsafeMutablePointer<peal_kept_call>

    /// The items of a call that is about to be made.
    struct Items {
        let count: Int
        let size: Int

        /// - Parameter areIndexed: True if a mailbox finds some of them by their method.
        @inline(__always)
        init(count: Int, areIndexed: Bool) {
            self.count = count
            size = peal_item_size(areIndexed)
        }

        /// The item that follows another one in the call.
        @inline(__always)
        func next(after item: QueueItem) -> QueueItem {
            (UnsafeMutableRawPointer(item) + size).assumingMemoryBound(to: peal_item.self)
        }
    }

    /// The extras of a call that is about to wait.
    struct Extras {
        /// The completion that waits for answers.
        let completion: Completion?
        let sending: UnsafePointer<peal_sending>?
        /// The broadcast as taps see it; nil: none does.
        let tapped: UnsafeMutablePointer<peal_tapped>?

        /// The registration that the broadcast does not call; 0: none.
        var excepted: UInt64 { sending?.pointee.except ?? 0 }

        /// The counted object that keeps pointed-to memory; 0: none.
        fileprivate var memory: UInt64 { sending?.pointee.memory ?? 0 }

        fileprivate func write(to call: Pointer) {
            guard let extras = peal_call_extras_of(call) else { return }
            extras.initialize(
                to: peal_call_extras(sending: sending?.pointee ?? peal_sending(), completion: completion?.id ?? 0))
            if let tapped {
                peal_tapped_prepare(tapped, &extras.pointee.sending)
            } else {
                extras.pointee.sending.enqueued = peal_clock_now()
            }
        }
    }

    /// Captures the arguments. The items exist but refer to no group yet.
    ///
    /// - Parameter extras: The extras of a call that has some.
    @inline(__always)
    static func make(
        _ carrier: Carrier, copying: CopyPlan.Pointer, items: Items, _ extras: Extras?
    ) throws(Broadcast.Outcome) -> Pointer {
        guard copying.pointee.hasNoPointers else {
            return try makeDeep(carrier, copying: copying, items: items, extras)
        }
        let call = try allocate(copying.pointee.fixedSize, items, extras, peal_spare_call_allocate)
        guard copying.copyValues(carrier, to: peal_call_arguments(call)) else {
            peal_spare_call_free(call, size(of: call, copying))
            throw .nullArgument
        }
        return call
    }

    /// Also captures the pointed-to values, or retains the object that keeps them.
    @inline(never)
    private static func makeDeep(
        _ carrier: Carrier, copying: CopyPlan.Pointer, items: Items, _ extras: Extras?
    ) throws(Broadcast.Outcome) -> Pointer {
        guard copying.isComplete(carrier) else { throw .nullArgument }
        var made: Result<Pointer, Broadcast.Outcome> = .failure(.outOfMemory)
        copying.withArguments(of: carrier) { arguments in
            made = Result { () throws(Broadcast.Outcome) in
                let memory = extras?.memory ?? 0
                let size = memory == 0 ? copying.size(of: arguments) : copying.pointee.fixedSize
                let call = try allocate(size, items, extras, peal_memory_allocate_unset)
                do throws(CaptureFailure) {
                    try copying.capture(arguments, sharing: memory, into: peal_call_arguments(call))
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
        _ size: Int, _ items: Items, _ extras: Extras?, _ allocate: (Int) -> UnsafeMutableRawPointer?
    ) throws(Broadcast.Outcome) -> Pointer {
        let bits = peal_call_bits(extras != nil, extras?.tapped != nil)
        let header = peal_call_header(UInt32(items.count), items.size, bits)
        guard let memory = allocate(header + size) else { throw .outOfMemory }
        let call = memory.bindMemory(to: peal_kept_call.self, capacity: 1)
        peal_call_begin(call, UInt32(items.count), header, bits)
        if let extras { extras.write(to: call) }
        return call
    }

    /// Releases the reference of one item.
    @inline(__always)
    static func release(_ call: Pointer, copying: UnsafeRawPointer) {
        if peal_call_release(call) { free(call, copying: copying) }
    }

    @inline(__always)
    private static func free(_ call: Pointer, copying: UnsafeRawPointer) {
        let copying = copying.assumingMemoryBound(to: CopyPlan.self)
        if copying.pointee.hasNoPointers { return peal_spare_call_free(call, size(of: call, copying)) }
        let memory = peal_call_extras_of(call)?.pointee.sending.memory ?? 0
        copying.release(peal_call_arguments(call), sharing: memory)
        peal_memory_free(call)
    }

    /// The size of a call without captured pointers, in bytes.
    @inline(__always)
    private static func size(of call: Pointer, _ copying: CopyPlan.Pointer) -> Int {
        peal_call_arguments(call) - UnsafeMutableRawPointer(call) + copying.pointee.fixedSize
    }
}
