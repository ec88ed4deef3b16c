internal import CPealSupport
import PealCall

/// Calls of methods with the option `defer` that wait for the end of the broadcast around them. Each thread has a list
/// of them, in order.
enum Deferral {
    /// One waiting call. The image of its arguments follows.
    private struct Call: BitwiseCopyable {
        var next: UnsafeMutablePointer<Call>?
        var id: UInt64
        var plan: CopyPlan.Pointer
        /// The completion that the call passes on; 0: none.
        var completion: UInt64
        /// As in the ``BroadcastRequest``.
        var excepted: UInt64
        var origin: UInt64
        /// The same. The call has a share of the object, and only the values are captured.
        var memory: UInt64

        static var imageOffset: Int { MemoryLayout<Call>.stride.roundedUp(to: CopyPlan.alignment) }
    }

    /// The maximum number of calls that are deferred on one thread until all of them have run. Without it, a method
    /// whose callback always broadcasts it again would never end.
    static let limit = 65_536

    /// Captures a call, to be run by `runPending`.
    static func capture(
        _ id: UInt64, arguments: Broadcast.Arguments?, _ request: BroadcastRequest,
        on thread: UnsafeMutablePointer<peal_thread>
    ) -> Broadcast.Outcome {
        guard peal_thread_engine(thread).pointee.deferred_count < UInt32(limit) else { return .deferralLimit }
        guard let method = Handles.methods.find(id) else { return .unknownMethod }
        let plan = method.copyPlan
        let completion = method.traits.completionParameter.flatMap { arguments?[$0]?.loadUnaligned(as: UInt64.self) }
        let shared = plan.pointee.hasNoPointers ? 0 : request.memory
        let call = Call(
            next: nil, id: id, plan: plan, completion: completion ?? 0, excepted: request.excepted,
            origin: request.origin, memory: shared)
        let size = shared == 0 ? plan.size(of: arguments) : plan.pointee.fixedSize
        guard let memory = peal_memory_allocate(Call.imageOffset + size) else { return .outOfMemory }
        do throws(CaptureFailure) {
            try plan.capture(arguments, sharing: shared, into: memory + Call.imageOffset)
        } catch {
            peal_memory_free(memory)
            return .captureFailed
        }
        let element = memory.bindMemory(to: Call.self, capacity: 1)
        element.initialize(to: call)
        append(element, on: thread)
        return .deferred
    }

    private static func image(of call: UnsafeMutablePointer<Call>) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(call) + Call.imageOffset
    }

    private static func free(_ call: UnsafeMutablePointer<Call>) {
        call.pointee.plan.release(image(of: call), sharing: call.pointee.memory)
        peal_memory_free(call)
    }

    private static func append(
        _ call: UnsafeMutablePointer<Call>, on thread: UnsafeMutablePointer<peal_thread>
    ) {
        let engine = peal_thread_engine(thread)
        if let last = engine.pointee.last_deferred?.assumingMemoryBound(to: Call.self) {
            last.pointee.next = call
        } else {
            engine.pointee.first_deferred = UnsafeMutableRawPointer(call)
        }
        engine.pointee.last_deferred = UnsafeMutableRawPointer(call)
        engine.pointee.deferred_count += 1
    }

    /// Runs the waiting calls of a method, unless a broadcast of it still runs on the thread.
    static func runPending(of id: UInt64, on thread: UnsafeMutablePointer<peal_thread>) {
        let engine = peal_thread_engine(thread)
        guard engine.pointee.first_deferred != nil, !ProtectedMethods.contains(id) else { return }
        engine.pointee.deferred_runs += 1
        // A call that runs here may defer more calls of its method. They are appended, and run in this loop.
        while let call = takeFirst(of: id, on: thread) {
            let outcome = send(call)
            // The method may have ended, for example. Nothing else notifies the completion that waits for answers.
            if outcome.isFailure { try? Completion.answer(call.pointee.completion, nil) }
            free(call)
        }
        engine.pointee.deferred_runs -= 1
        if engine.pointee.deferred_runs == 0, engine.pointee.first_deferred == nil {
            engine.pointee.deferred_count = 0
        }
    }

    private static func send(_ call: UnsafeMutablePointer<Call>) -> Broadcast.Outcome {
        let plan = call.pointee.plan
        var request = BroadcastRequest(result: nil)
        request.excepted = call.pointee.excepted
        request.origin = call.pointee.origin
        request.memory = call.pointee.memory
        return plan.withPointers(into: image(of: call)) { arguments in
            Broadcast.send(
                call.pointee.id, arguments: arguments, count: plan.pointee.parameterCount, request: request,
                calls: nil, runsDeferred: false)
        }
    }

    private static func takeFirst(
        of id: UInt64, on thread: UnsafeMutablePointer<peal_thread>
    ) -> UnsafeMutablePointer<Call>? {
        let engine = peal_thread_engine(thread)
        var previous: UnsafeMutablePointer<Call>?
        var candidate = engine.pointee.first_deferred?.assumingMemoryBound(to: Call.self)
        while let call = candidate, call.pointee.id != id {
            previous = call
            candidate = call.pointee.next
        }
        guard let call = candidate else { return nil }
        let next = call.pointee.next
        if let previous {
            previous.pointee.next = next
        } else {
            engine.pointee.first_deferred = next.map { UnsafeMutableRawPointer($0) }
        }
        if next == nil { engine.pointee.last_deferred = previous.map { UnsafeMutableRawPointer($0) } }
        return call
    }
}

/// The methods that the calling thread is broadcasting.
enum ProtectedMethods {
    /// Returns true if one of the thread's lists is of the method.
    ///
    /// - Parameter own: The hazard slot of a broadcast that has just begun, which is not tested.
    static func contains(_ id: UInt64, besides own: Broadcast.Hazard? = nil) -> Bool {
        guard let thread = peal_thread_own_slot() else { return false }
        return (0..<peal_thread_depth(thread)).contains { index in
            let hazard = peal_thread_hazard_at(thread, index)
            return hazard != own && peal_hazard_is_of_method(hazard, id)
        }
    }
}
