internal import CPealSupport
import PealCall

extension Mediator {
    public var phase: ModulesPhase { withState { $0.phase } }

    var count: Int { withState { $0.byName.count } }

    public func find(_ name: String) throws(Failure) -> Module {
        try withState { (state) throws(Failure) in
            if let module = state.byName[name] { return module }
            let guess = NearestName.find(name, in: state.byName.keys).map { "; did you mean \($0)?" } ?? ""
            throw Failure(.notFound, "there is no module \(name)\(guess)")
        }
    }

    /// Those that were started first, in that order, then the others in order of registration.
    public var list: [UInt64] {
        withState { state in
            state.byName.values.sorted { left, right in
                let orders = (left.status.order &- 1, right.status.order &- 1)
                return orders.0 != orders.1 ? orders.0 < orders.1 : left.sequence < right.sequence
            }.map(\.number)
        }
    }

    /// All of a center that are not gone, for the search.
    var all: [Module] { withState { Array($0.modules.values) } }
}

extension Module {
    public var info: ModuleInfo {
        let now = peal_clock_now()
        return mediator.withState { _ in
            ModuleInfo(
                state: status.state, priority: priority, name: name, className: className ?? "",
                dependencies: dependencies.joined(separator: ", "), order: status.order, startedAt: status.start.began,
                startTime: status.state == .starting ? now &- status.start.began : status.start.took,
                stopTime: status.state == .stopping ? now &- status.stop.began : status.stop.took,
                isOverdue: status.isOverdue, lastFailure: status.lastFailure)
        }
    }
}
