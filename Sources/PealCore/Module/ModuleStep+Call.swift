internal import CPealSupport
import PealCall

extension ModuleStep {
    /// What a queue gets of a step.
    private struct Task: BitwiseCopyable {
        var task: peal_task
        var number: UInt64
    }

    /// Has the module's queue make the call. False when memory is short.
    func push(to mailbox: Mailbox) -> Bool {
        guard let memory = peal_memory_allocate_needed(MemoryLayout<Task>.size) else { return false }
        let task = peal_task(item: peal_item(next: nil, group: nil, count: 0, offset: 0)) { task in
            let number = UnsafeMutableRawPointer(task).assumingMemoryBound(to: Task.self).pointee.number
            peal_memory_free(task)
            Handles.moduleSteps.find(number)?.callOnQueue()
        }
        memory.initializeMemory(as: Task.self, to: Task(task: task, number: number))
        mailbox.push(memory.assumingMemoryBound(to: peal_task.self))
        return true
    }

    /// A mailbox that does not run a task in turn runs it on the thread that pushes it or ends the queue.
    private func callOnQueue() {
        if module.runsHere, module.queue?.isEnded != true { return call() }
        module.mediator.end(self, .failed(Self.refusal))
    }

    /// Makes the call on this thread. It counts as none of the observers' calls. But for an event it registers
    /// for the owner of the module.
    func call() {
        guard let thread = peal_thread_current(), let hold = peal_hold_nothing() else {
            return module.mediator.end(self, .failed("broadcasts are nested 128 deep on this thread, or memory is short"))
        }
        peal_current_set(peal_hold_current(hold), peal_gate_of_nobody())
        guard module.mediator.begin(self) else { return Broadcast.release(hold) }
        let owners = thread.pointee.owner_count
        var result: Result
        if kind != .answer, let owner = module.owner, !peal_thread_enter_owner(thread, owner.number) {
            result = .failed("owners are entered \(PEAL_THREAD_OWNERS) deep on this thread")
        } else {
            result = callAsked()
        }
        // Also where the module entered others and did not leave them.
        thread.pointee.owner_count = owners
        Broadcast.release(hold)
        module.mediator.endCall(of: self, &result)
    }

    private func callAsked() -> Result {
        do throws(Failure) {
            return try CurrentAsker.run(as: "module \(module.name)") { () throws(Failure) in try callModule() }
        } catch {
            return .failed(error.sentence)
        }
    }

    private func callModule() throws(Failure) -> Result {
        if let question {
            try question.ask(target)
            return .done
        }
        if kind == .start, let name = module.service {
            let taken = try Service.find(name, in: module.mediator.center).use()
            use = taken
            target = taken.target
        }
        if kind == .willStart || tellsWillStart { tell(module.mediator.lifecycle.willStart) }
        if kind == .didStart { tell(module.mediator.lifecycle.didStart) }
        guard let function = module.function(of: kind) else { return .done }
        return try call(function)
    }

    private func tell(_ event: Method) {
        for function in module.functions(for: event) { function(target) }
    }

    private func call(_ function: ModuleDescription.Step) throws(Failure) -> Result {
        let completion = try makeCompletion()
        module.mediator.note(completion, of: self)
        var memory = peal_step_memory()
        memory.size = MemoryLayout<peal_step_memory>.size
        memory.center = module.mediator.center.number
        memory.context = module.context
        memory.done = completion.number
        let status = module.name.withCString { name in
            memory.module = name
            return withUnsafeMutablePointer(to: &memory) { function(target, $0) }
        }
        let meaning = module.meaning(status)
        if case .deferred = meaning { return .deferred }
        completion.abandon()
        guard case .failed(let text) = meaning else { return .done }
        return .failed(Self.sentence(of: &memory, or: text))
    }

    /// The module's own words, or what its status says; and its number, where it gave one.
    private static func sentence(of memory: inout peal_step_memory, or text: String) -> String {
        let length = peal_step_message_length(&memory)
        let own = String(decoding: UnsafeRawBufferPointer(start: peal_step_message(&memory), count: length), as: UTF8.self)
        let code = memory.code == 0 ? "" : " (\(memory.code))"
        return (own.isEmpty ? text : own) + code
    }

    // MARK: Answers that come later

    private func makeCompletion() throws(Failure) -> Completion {
        var options = Completion.Options(
            done: { context, report in
                guard let report = report?.assumingMemoryBound(to: CompletionReport.self).pointee else { return }
                Handles.moduleSteps.find(UInt64(UInt(bitPattern: context)))?.take(report)
            },
            statusOfEnd: { _ in 0 })
        options.context = UnsafeMutableRawPointer(bitPattern: UInt(number))
        return try Completion.make(options, isNeeded: true)
    }

    private func take(_ report: CompletionReport) {
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
