internal import CPealSupport
import PealCall

extension PealProtocol {
    func layout() throws(Failure) -> ProxyLayout {
        try center.withState { (state) throws(Failure) in ProxyLayout(of: self, in: state) }
    }

    /// The layout, and the functions of a target's table by the index of the method.
    func layout(reading table: UnsafeRawPointer) throws(Failure) -> (ProxyLayout, [UnsafeRawPointer?]) {
        let source = UnsafeMemory(UnsafeMutableRawPointer(mutating: table))
        let (layout, addresses) = try center.withState { (state) throws(Failure) in
            let layout = ProxyLayout(of: self, in: state)
            let functions = try FunctionTables(reading: UnsafeRawPointer(source.address), of: self, in: state)
            return (layout, layout.methods.map { UInt(bitPattern: functions.function(for: $0)) })
        }
        return (layout, addresses.map { UnsafeRawPointer(bitPattern: $0) })
    }
}

extension ProxyLayout {
    /// Fails if the target's table lacks required methods. A target with stages may lack any function.
    func checkConformance(
        of functions: [UnsafeRawPointer?], of proto: PealProtocol, hasStages: Bool
    ) throws(Failure) {
        guard !hasStages else { return }
        let missing = methods.indices.filter {
            methods[$0].declaration.requirement == .required && functions[$0] == nil
        }
        guard missing.isEmpty else {
            throw Failure(
                .conformance,
                "the table for \(proto.name) lacks required methods: \(CenterState.list(missing.map { methods[$0].title })); add them, or one of the stages `resolve`, `redirect` and `invoke`"
            )
        }
    }
}

extension Method {
    func proxyCell(broadcast: UInt64, path: UnsafeRawPointer?) -> peal_proxy_cell {
        peal_proxy_cell(
            broadcast: broadcast, method: id, plan: UnsafeRawPointer(plan), copying: UnsafeRawPointer(copyPlan),
            path: path)
    }
}

extension Center {
    /// Reads a prototype without a protocol.
    func signature(_ prototype: String) throws(Failure) -> Signature {
        let types = try withState { (state) throws(Failure) in state.types }
        do throws(SyntaxError) {
            return try Signature(prototype, in: types)
        } catch {
            throw Failure(error, in: "the prototype of a bare function")
        }
    }
}
