internal import CPealSupport
import PealCall

/// Makes the calls of one item: those of one broadcast on one queue.
struct DeliveryRun {
    let group: UnsafeMutablePointer<peal_group>
    let count: Int
    let call: CapturedCall.Pointer

    private var plan: CallPlan.Pointer { group.pointee.plan.assumingMemoryBound(to: CallPlan.self) }
    private var copying: CopyPlan.Pointer { group.pointee.copying.assumingMemoryBound(to: CopyPlan.self) }
    private var entries: UnsafePointer<SnapshotEntry> { UnsafePointer(peal_group_entry_at(group, 0)) }

    /// - Returns: The number of called observers.
    @_optimize(speed)
    func run() -> Int {
        // The run of the queue has made sure that there is a hazard slot.
        guard let hazard = peal_hazard_occupy() else { return 0 }
        defer { Broadcast.release(hazard) }
        hazard.pointee.method = group.pointee.method
        let image = peal_call_arguments(call)
        if _slowPath(group.pointee.completion != 0 || peal_call_extras_of(call) != nil) {
            return callWithArguments(image, hasExtras: true, hazard)
        }
        let traits = MethodTraits(rawValue: group.pointee.traits)
        if let integers = traits.integerCount {
            return IntegerReplay(ImageIntegers(image: image), traits, to: entries, count: count, hazard).replay(
                integers) ?? 0
        }
        if let shape = plan.pointee.frame { return callWithFrame(shape, image, hazard) }
        return callWithArguments(image, hasExtras: false, hazard)
    }

    /// - Parameter hasExtras: True for calls that are answered, or that have extras.
    @inline(never)
    private func callWithArguments(_ image: UnsafeMutableRawPointer, hasExtras: Bool, _ hazard: Broadcast.Hazard) -> Int
    {
        copying.withPointers(into: image) { arguments in
            hasExtras
                ? callWithExtras(arguments, hazard)
                : FFIReplay.each(plan, arguments, to: entries, count: count, hazard) ?? 0
        }
    }

    private func callWithExtras(_ arguments: Broadcast.Arguments, _ hazard: Broadcast.Hazard) -> Int {
        guard let extras = peal_call_extras_of(call) else { return call(arguments, hazard, nil) }
        peal_hazard_set_sending(hazard, &extras.pointee.sending)
        defer { peal_hazard_set_sending(hazard, nil) }
        guard peal_call_is_tapped(call) else { return call(arguments, hazard, nil) }
        var tapped = peal_tapped()
        return withUnsafeMutablePointer(to: &tapped) { tapped in
            peal_tapped_begin_on_queue(tapped, group, &extras.pointee.sending, arguments)
            return call(arguments, hazard, tapped)
        }
    }

    private func call(
        _ arguments: Broadcast.Arguments, _ hazard: Broadcast.Hazard, _ tapped: UnsafeMutablePointer<peal_tapped>?
    ) -> Int {
        let extras = peal_call_extras_of(call)
        let excepted = extras?.pointee.sending.except ?? 0
        let calls = ResultCalls(
            plan: plan, entries: entries, count: count, hazard: hazard, arguments: arguments, excepted: excepted,
            tapped: tapped)
        let completionId = extras?.pointee.completion ?? 0
        guard group.pointee.completion != 0 || completionId != 0 else {
            return calls.run { _, _ in
                false
            } take: { _, _ in
                true
            }
        }
        let completion = Completion.find(completionId)
        let parameter = group.pointee.completion == 0 ? nil : Int(group.pointee.completion) - 1
        var answered = AnsweredCalls(calls: calls, completion: completion, parameter: parameter, isReserved: true)
        let called = answered.run()
        completion?.dropReserved(group.answering(count, besides: excepted) - (called - answered.passive))
        return called
    }

    @inline(__always)
    private func callWithFrame(_ shape: FrameShape, _ image: UnsafeMutableRawPointer, _ hazard: Broadcast.Hazard) -> Int
    {
        var frame = peal_whole_frame_room()
        return withUnsafeMutablePointer(to: &frame) { frame in
            let words = UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UInt64.self)
            CallPlan.buildFrame(plan, fromImage: image, into: words)
            return shape.usesStack
                ? FrameReplay.withStack(shape, words, to: entries, count: count, hazard)
                : FrameReplay.withRegisters(shape, words, to: entries, count: count, hazard)
        }
    }
}

/// Arguments in an image.
private struct ImageIntegers: IntegerSource {
    let image: UnsafeMutableRawPointer

    @inline(__always)
    func integer(_ index: Int, isNarrow: Bool) -> UInt64? {
        let value = image + ArgumentLayout.offset(ofInteger: index)
        return isNarrow ? UInt64(value.load(as: UInt32.self)) : value.loadUnaligned(as: UInt64.self)
    }
}
