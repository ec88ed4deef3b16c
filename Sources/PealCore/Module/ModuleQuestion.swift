internal import CPealSupport
import PealCall

/// An event with a result, for a module with a queue. The module is asked on its queue, by a step, and the
/// broadcasting thread waits for the answer: so the next module is asked only where it is to be.
final class ModuleQuestion: Sendable {
    private let invocation: Invocation
    // Code of the module's, used while it runs.
    private nonisolated(unsafe) let function: @convention(c) () -> Void

    private init(_ invocation: Invocation, _ function: @escaping @convention(c) () -> Void) {
        self.invocation = invocation
        self.function = function
    }

    /// Captures the arguments: a call that is given up may still read them.
    static func make(
        _ method: Method, _ function: UnsafeRawPointer, _ arguments: Broadcast.Arguments
    ) throws(Failure) -> ModuleQuestion {
        let block = try ArgumentBlock.captured(method.copyPlan, arguments, of: method)
        let invocation = try Invocation.make(method, block)
        // It is found by this object alone.
        try Invocation.end(invocation.number)
        return ModuleQuestion(invocation, unsafeBitCast(function, to: (@convention(c) () -> Void).self))
    }

    func ask(_ target: UnsafeMutableRawPointer?) throws(Failure) {
        try invocation.invoke(function, target: target)
    }

    func readAnswer(into result: UnsafeMutableRawPointer) throws(Failure) {
        try invocation.readResult(into: result, size: invocation.method.resultSize)
    }
}

extension ModuleQuestion {
    /// Splits the functions that a module with a queue has for a protocol: those that the queue calls later, and
    /// those with a result, as one handler.
    static func split(
        _ functions: FunctionTables, of proto: PealProtocol, in state: borrowing CenterState
    ) throws(Failure) -> (told: FunctionTables, asked: FunctionTables?) {
        let asked = state[proto].all.filter { $0.resultSize > 0 && functions.function(for: $0) != nil }
        guard !asked.isEmpty else { return (functions, nil) }
        var told = functions
        for method in asked { told.tables[method.origin]?.functions[method.rank] = nil }
        let function = unsafeBitCast(handler, to: UnsafeRawPointer.self)
        return (told, try FunctionTables(handler: function, names: asked.map(\.title), of: proto, in: state))
    }

    /// What its observer has as its target.
    static func target(of module: Module) -> UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: UInt(module.number))
    }

    /// A module that is being removed answers zero.
    private static let handler: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<peal_handled_call>) -> Void = { target, call in
        guard let result = call.pointee.result, let method = Handles.methods.find(call.pointee.method) else { return }
        result.initializeMemory(as: UInt8.self, repeating: 0, count: method.resultSize)
        guard let module = Handles.modules.find(UInt64(UInt(bitPattern: target))),
            let function = module.tables.lazy.compactMap({ $0.functions.function(for: method) }).first
        else { return }
        module.mediator.ask(module, method, function, call.pointee.arguments, result)
    }
}

extension Mediator {
    /// Asks a module on its queue, and waits as long as a step may take. Without an answer the result stays zero.
    fileprivate func ask(
        _ module: Module, _ method: Method, _ function: UnsafeRawPointer, _ arguments: Broadcast.Arguments,
        _ result: UnsafeMutableRawPointer
    ) {
        do throws(Failure) {
            let question = try ModuleQuestion.make(method, function, arguments)
            guard let step = ModuleStep.make(.answer, of: module, question: question) else { throw .outOfMemory }
            switch run(step) {
            case .done, .late(isDone: true): try question.readAnswer(into: result)
            case .failed(let sentence): throw Failure(.state, sentence)
            case .givenUp(.circle): throw Failure(.wouldDeadlock, ModuleStep.circle)
            case .late(isDone: false), .givenUp: break
            }
        } catch {
            events.tellFailed(module, .answer, "module \(module.name) could not be asked \(method.title): \(error.sentence)")
        }
    }
}
