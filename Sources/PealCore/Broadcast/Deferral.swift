internal import CPealSupport
import PealCall

/// Calls that wait for the broadcast around them to end (B5: DEFER). Kept per thread, in order.
enum Deferral {
    /// One waiting call. Argument values and what they point to follow in the same allocation.
    private struct Call: BitwiseCopyable {
        var next: UnsafeMutablePointer<Call>?
        var number: UInt64
        var count: Int
        var arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    }

    /// How many calls may be deferred on one thread until all of them have run: a method whose callback
    /// always broadcasts it again would else never end.
    static let limit = 65_536

    /// Copies a call, to be run by `runPending`.
    static func capture(
        _ number: UInt64, plan: CallPlan.Pointer, arguments: Broadcast.Arguments?,
        on thread: UnsafeMutablePointer<peal_thread>
    ) -> Broadcast.Outcome {
        guard thread.pointee.deferred_count < UInt32(limit) else { return .deferralLimit }
        guard let method = Handles.methods.find(number) else { return .unknownMethod }
        let copy = ArgumentCopy(method.declaration.signature, plan: plan)
        let header = MemoryLayout<Call>.stride + plan.pointee.parameterCount * MemoryLayout<UnsafeMutableRawPointer?>.stride
        guard let memory = peal_memory_allocate(header.roundedUp(to: 16) + copy.size(of: arguments)) else {
            return .outOfMemory
        }
        let call = memory.bindMemory(to: Call.self, capacity: 1)
        let pointers = (memory + MemoryLayout<Call>.stride)
            .bindMemory(to: UnsafeMutableRawPointer?.self, capacity: plan.pointee.parameterCount)
        call.initialize(
            to: Call(next: nil, number: number, count: plan.pointee.parameterCount, arguments: pointers))
        copy.fill(pointers, from: arguments, behind: memory + header.roundedUp(to: 16))
        append(call, on: thread)
        return .deferred
    }

    private static func append(
        _ call: UnsafeMutablePointer<Call>, on thread: UnsafeMutablePointer<peal_thread>
    ) {
        if let last = thread.pointee.last_deferred?.assumingMemoryBound(to: Call.self) {
            last.pointee.next = call
        } else {
            thread.pointee.first_deferred = UnsafeMutableRawPointer(call)
        }
        thread.pointee.last_deferred = UnsafeMutableRawPointer(call)
        thread.pointee.deferred_count += 1
    }

    /// Runs the waiting calls of a method, once no broadcast of it is left on the thread.
    static func runPending(of number: UInt64, on thread: UnsafeMutablePointer<peal_thread>) {
        guard thread.pointee.first_deferred != nil, !thread.holds(number, among: peal_thread_depth(thread))
        else { return }
        thread.pointee.deferred_runs += 1
        // A call that is run here may defer more of its method: they come behind, in this loop.
        while let call = takeFirst(of: number, on: thread) {
            _ = Broadcast.send(
                number, arguments: call.pointee.arguments, count: call.pointee.count,
                request: BroadcastRequest(result: nil), calls: nil, runsDeferred: false)
            peal_memory_free(call)
        }
        thread.pointee.deferred_runs -= 1
        if thread.pointee.deferred_runs == 0, thread.pointee.first_deferred == nil {
            thread.pointee.deferred_count = 0
        }
    }

    private static func takeFirst(
        of number: UInt64, on thread: UnsafeMutablePointer<peal_thread>
    ) -> UnsafeMutablePointer<Call>? {
        var previous: UnsafeMutablePointer<Call>?
        var candidate = thread.pointee.first_deferred?.assumingMemoryBound(to: Call.self)
        while let call = candidate, call.pointee.number != number {
            previous = call
            candidate = call.pointee.next
        }
        guard let call = candidate else { return nil }
        let next = call.pointee.next
        if let previous {
            previous.pointee.next = next
        } else {
            thread.pointee.first_deferred = next.map { UnsafeMutableRawPointer($0) }
        }
        if next == nil { thread.pointee.last_deferred = previous.map { UnsafeMutableRawPointer($0) } }
        return call
    }
}
