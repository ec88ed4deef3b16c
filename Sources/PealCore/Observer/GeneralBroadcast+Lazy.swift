internal import CPealSupport

extension GeneralBroadcast {
    /// Whether services are to be created first: the list may lack some, and the broadcast will call it now.
    func waitsForServices(_ request: BroadcastRequest) -> Bool {
        let list = Broadcast.list(hold)
        // The number first: with another method's list nothing else means anything.
        guard peal_snapshot_method(list) == number, list.isPending, mistake(in: request) == nil else { return false }
        return !traits.restrictsRecursion || !HeldMethods.isHeld(number, besides: hold)
    }

    /// Lets the list go, has its services created, and broadcasts to the list that there is then.
    @inline(never)
    func runWithServices(
        _ request: BroadcastRequest, calls: UnsafeMutablePointer<Int>?, runsDeferred: Bool
    ) -> Broadcast.Outcome {
        let pending = PendingServices(of: Broadcast.list(hold))
        Broadcast.release(hold)
        pending.create()
        calls?.pointee = 0
        do throws(Broadcast.Outcome) {
            let hold = try Broadcast.hold(number, arguments, count)
            return GeneralBroadcast(hold: hold, number: number, arguments: arguments, count: count)
                .runHeld(request, calls: calls, runsDeferred: runsDeferred)
        } catch {
            return error
        }
    }
}
