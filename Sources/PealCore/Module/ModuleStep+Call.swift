internal import CPealSupport
import PealCall

/// The call of a step on its thread.
extension ModuleStep {
    /// The task that is pushed to a queue.
    private struct Task: BitwiseCopyable {
        var task: peal_task
        var id: UInt64
    }

    /// Enqueues the call.
    ///
    /// - Returns: False if memory is short.
    func push(to mailbox: Mailbox) -> Bool {
        guard let memory = peal_memory_allocate_needed(MemoryLayout<Task>.size) else { return false }
        let task = peal_task(item: peal_item(next: nil, group: nil, count: 0, offset: 0)) { task in
            let id = UnsafeMutableRawPointer(task).assumingMemoryBound(to: Task.self).pointee.id
            peal_memory_free(task)
            Handles.moduleSteps.find(id)?.callOnQueue()
        }
        memory.initializeMemory(as: Task.self, to: Task(task: task, id: id))
        mailbox.push(memory.assumingMemoryBound(to: peal_task.self))
        return true
    }

    /// Makes the call on the queue. An ended queue's mailbox runs the task on the thread that pushes it or ends the
    /// queue, where the step fails instead.
    private func callOnQueue() {
        if module.runsHere, module.queue?.isEnded != true { return call() }
        module.mediator.end(self, .failed(Self.refusal))
    }

    /// Makes the call on this thread. It does not count as an observer's call. During a step other than an event, new
    /// registrations belong to the module's owner.
    func call() {
        guard let thread = peal_thread_current(), let hazard = peal_hazard_occupy() else {
            return module.mediator.end(
                self, .failed("broadcasts are nested \(PEAL_THREAD_DEPTH) deep on this thread, or memory is exhausted"))
        }
        peal_current_set(peal_hazard_current(hazard), peal_null_gate())
        guard module.mediator.begin(self) else { return Broadcast.release(hazard) }
        let owners = thread.pointee.owner_count
        let result: Result
        if kind != .event, let owner = module.owner, !peal_thread_enter_owner(thread, owner.id) {
            result = .failed("owners are entered \(PEAL_THREAD_OWNERS) deep on this thread")
        } else {
            result = callAsModule()
        }
        // The module may have entered other owners as well.
        peal_thread_leave_owners(thread, owners)
        Broadcast.release(hazard)
        module.mediator.endCall(of: self, result)
    }

    private func callAsModule() -> Result {
        do throws(Failure) {
            return try CurrentRequester.run(as: "module \(module.name)") { () throws(Failure) in try callModule() }
        } catch {
            return .failed(error.sentence)
        }
    }

    private func callModule() throws(Failure) -> Result {
        if let query {
            try query.call(target)
            return .done
        }
        if kind == .start, let name = module.service {
            let taken = try Service.find(name, in: module.mediator.center).use()
            use = taken
            target = taken.target
        }
        if kind == .willStart || notifiesOfWillStart { notify(module.mediator.lifecycle.willStart) }
        if kind == .didStart { notify(module.mediator.lifecycle.didStart) }
        guard let function = module.function(of: kind) else { return .done }
        return try call(function)
    }

    private func notify(_ event: Method) {
        for function in module.functions(for: event) { function(target) }
    }

    private func call(_ function: ModuleDescription.Step) throws(Failure) -> Result {
        let completion = try makeCompletion()
        module.mediator.note(completion, of: self)
        var step = peal_module_step()
        let status = module.name.withCString { name in
            step = peal_step_begin(module.mediator.center.id, name, module.context, completion.id)
            return withUnsafeMutablePointer(to: &step) { function(target, $0) }
        }
        let meaning = module.meaning(status)
        if case .deferred = meaning { return .deferred }
        completion.abandon()
        guard case .failed(let text) = meaning else { return .done }
        return .failed(Self.sentence(of: &step, or: text))
    }

    /// The module's own sentence, or else that of its status. The module's own code follows unless it is zero.
    private static func sentence(of step: inout peal_module_step, or text: String) -> String {
        let length = peal_step_message_length(&step)
        let own = String(
            decoding: UnsafeRawBufferPointer(start: peal_step_message(&step), count: length), as: UTF8.self)
        let code = step.code == 0 ? "" : " (\(step.code))"
        return (own.isEmpty ? text : own) + code
    }

    // MARK: Deferred results

    private func makeCompletion() throws(Failure) -> Completion {
        var options = Completion.Options(
            done: { context, report in
                guard let report = report?.assumingMemoryBound(to: peal_completion_info.self).pointee else { return }
                Handles.moduleSteps.find(UInt64(UInt(bitPattern: context)))?.take(report)
            },
            statusOfEnd: { _ in 0 })
        options.context = UnsafeMutableRawPointer(bitPattern: UInt(id))
        return try Completion.make(options, isNeeded: true)
    }

    private func take(_ report: peal_completion_info) {
        let result: Result =
            if report.completed == 0 {
                .failed("its completion was dropped or cancelled")
            } else if report.result != 0 {
                .failed("it answered \(report.result)")
            } else {
                .done
            }
        module.mediator.answer(self, result)
    }
}
