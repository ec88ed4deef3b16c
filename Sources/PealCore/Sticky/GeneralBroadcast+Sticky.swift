internal import CPealSupport
import PealCall

extension GeneralBroadcast {
    /// Keeps the call for later observers, then makes the calls. The list may be replaced by the one that is current
    /// when the call is kept.
    @inline(never)
    func performSticky(
        _ request: BroadcastRequest, _ folder: inout ResultFolder, calls: UnsafeMutablePointer<Int>?,
        tapped: UnsafeMutablePointer<peal_tapped>?
    ) throws(Broadcast.Outcome) -> Broadcast.Outcome {
        guard let method = Handles.methods.find(id), let lastCalls = method.lastCalls else { return .unknownMethod }
        let block = try ArgumentBlock.captured(method.copyPlan, arguments)
        let key = lastCalls.key(of: arguments)
        var current = hazard
        while true {
            let broadcast = GeneralBroadcast(hazard: current, id: id, arguments: arguments, count: count)
            if let reach = lastCalls.keep(block, as: key, for: Broadcast.list(current), of: method.element) {
                guard current != hazard else {
                    return try performKept(reach, method, request, &folder, calls: calls, tapped: tapped)
                }
                // Its observers read the broadcast's origin in the innermost slot.
                peal_hazard_set_sending(current, hazard.pointee.sending)
                defer {
                    peal_hazard_set_sending(current, nil)
                    Broadcast.release(current)
                }
                return try broadcast.performKept(reach, method, request, &folder, calls: calls, tapped: tapped)
            }
            // An observer was registered or removed meanwhile.
            if current != hazard { Broadcast.release(current) }
            current = try Broadcast.protectSettled(id, arguments, count)
            guard peal_snapshot_method(Broadcast.list(current)) == id else {
                Broadcast.release(current)
                return .unknownMethod
            }
        }
    }

    private func performKept(
        _ reach: LastCalls.Reach, _ method: Method, _ request: BroadcastRequest, _ folder: inout ResultFolder,
        calls: UnsafeMutablePointer<Int>?, tapped: UnsafeMutablePointer<peal_tapped>?
    ) throws(Broadcast.Outcome) -> Broadcast.Outcome {
        let list = Broadcast.list(hazard)
        guard !reach.leftOut.isEmpty else {
            return try makeCalls(request, &folder, nil, calls: calls, tapped: tapped, upTo: reach.count)
        }
        let extras = CapturedCall.Extras(
            completion: request.gathering, sending: hazard.pointee.sending, tapped: nil)
        let queued =
            list.hasGroups
            ? try Delivery.enqueue(list, .pointers(arguments), of: method, without: reach.leftOut, extras)
            : (calls: 0, isRejected: false)
        let entries = peal_snapshot_entries(list)
        var called = 0
        var answered = 0
        var begin = 0
        for index in 0...reach.count where index == reach.count || reach.leftOut.contains(entries[index].gate) {
            let here = callObservers(request, &folder, nil, tapped, begin..<index)
            called += here.all
            answered += here.answered
            begin = index + 1
        }
        folder.finish(calls: answered)
        calls?.pointee = called + queued.calls
        return queued.isRejected ? .rejected : .done
    }
}

extension Delivery {
    /// Enqueues the calls of a broadcast that leaves some observers out. Each queue gets a copy of the arguments.
    fileprivate static func enqueue(
        _ list: Broadcast.List, _ carrier: Carrier, of method: Method,
        without leftOut: [UnsafePointer<UInt32>], _ extras: CapturedCall.Extras
    ) throws(Broadcast.Outcome) -> (calls: Int, isRejected: Bool) {
        var calls = 0
        var isRejected = false
        for group in list.groups {
            let reached = group.entries.filter {
                !leftOut.contains($0.gate) && $0.record.pointee.id != extras.excepted
            }
            guard !reached.isEmpty else { continue }
            switch try enqueue(carrier, of: method, for: reached, extras) {
            case .accepted: calls += reached.count
            case .dropped: break
            case .rejected: isRejected = true
            }
        }
        return (calls, isRejected)
    }
}
