internal import CPealSupport
import PealCall

/// The call of an event with a result, for a module with a queue. A step calls the module on its queue, and the
/// broadcasting thread waits for the result, because the policy decides by it whether the next module is called.
final class ModuleQuery: Sendable {
    private let invocation: Invocation
    // Called only while the module runs.
    private nonisolated(unsafe) let function: @convention(c) () -> Void

    private init(_ invocation: consuming Invocation, _ function: @escaping @convention(c) () -> Void) {
        self.invocation = invocation
        self.function = function
    }

    /// Captures the arguments, because an abandoned call may still read them.
    static func make(
        _ method: Method, _ function: UnsafeRawPointer, _ arguments: Broadcast.Arguments
    ) throws(Failure) -> ModuleQuery {
        let block = try ArgumentBlock.captured(method.copyPlan, arguments, of: method)
        guard let invocation = try Invocation.make(method.id, { _, _ in block }) else { throw .ended(method) }
        // The handle ends here: only the query uses the invocation.
        defer { try? Invocation.end(invocation) }
        return ModuleQuery(try .find(invocation), unsafeBitCast(function, to: (@convention(c) () -> Void).self))
    }

    func call(_ target: UnsafeMutableRawPointer?) throws(Failure) {
        try invocation.invoke(function, target: target)
    }

    func readResult(into result: UnsafeMutableRawPointer) throws(Failure) {
        try invocation.readResult(into: result, size: invocation.method.resultSize)
    }
}

extension ModuleQuery {
    /// Splits the functions that a module with a queue has for a protocol. The queue calls those without a result
    /// later. Functions with a result become one handler.
    static func split(
        _ functions: FunctionTables, of proto: PealProtocol, in state: borrowing CenterState
    ) throws(Failure) -> (notified: FunctionTables, queried: FunctionTables?) {
        let queried = state[proto].all.filter { $0.resultSize > 0 && functions.function(for: $0) != nil }
        guard !queried.isEmpty else { return (functions, nil) }
        var notified = functions
        for method in queried { notified.tables[method.origin]?.functions[method.rank] = nil }
        let function = unsafeBitCast(handler, to: UnsafeRawPointer.self)
        return (notified, try FunctionTables(handler: function, names: queried.map { $0.title }, of: proto, in: state))
    }

    /// The target of the handler.
    static func target(of module: Module) -> UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: UInt(module.id))
    }

    /// Calls the module on its queue. The result is zero for a module that is being removed.
    private static let handler: peal_handler = { target, call in
        guard let call, let result = call.pointee.result, let method = Handles.methods.find(peal_handled_method(call))
        else { return }
        result.initializeMemory(as: UInt8.self, repeating: 0, count: method.resultSize)
        guard let module = Handles.modules.find(UInt64(UInt(bitPattern: target))),
            let function = module.tables.lazy.compactMap({ $0.functions.function(for: method) }).first
        else { return }
        module.mediator.query(module, method, function, call.pointee.arguments, result)
    }
}

extension Mediator {
    /// Calls a module on its queue, and waits up to its time limit. Without an answer the result stays zero.
    fileprivate func query(
        _ module: Module, _ method: Method, _ function: UnsafeRawPointer, _ arguments: Broadcast.Arguments,
        _ result: UnsafeMutableRawPointer
    ) {
        do throws(Failure) {
            let query = try ModuleQuery.make(method, function, arguments)
            switch run(try ModuleStep.make(.event, of: module, query: query)) {
            case .done, .late(isDone: true): try query.readResult(into: result)
            case .failed(let sentence): throw Failure(.state, sentence)
            case .abandoned(.cycle(let call)): throw Failure(.wouldDeadlock, ModuleStep.cycle(call))
            case .late(isDone: false), .abandoned: break
            }
        } catch {
            events.notifyFailed(
                module, .event, "module \(module.name) could not be called for \(method.title): \(error.sentence)")
        }
    }
}
