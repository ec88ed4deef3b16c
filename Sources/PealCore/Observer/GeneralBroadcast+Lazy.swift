internal import CPealSupport

extension GeneralBroadcast {
    /// Settles the list, has its services created, and broadcasts to the list that is current then.
    @inline(never)
    func runPrepared(
        _ request: BroadcastRequest, calls: UnsafeMutablePointer<Int>?, runsDeferred: Bool
    ) -> Broadcast.Outcome {
        calls?.pointee = 0
        do throws(Broadcast.Outcome) {
            var settled = with(try Broadcast.settle(hazard, id, arguments, count))
            if settled.waitsForServices(request) {
                let pending = PendingServices(of: Broadcast.list(settled.hazard))
                Broadcast.release(settled.hazard)
                pending.create()
                settled = with(try Broadcast.protectSettled(id, arguments, count))
            }
            return settled.runProtected(request, calls: calls, runsDeferred: runsDeferred)
        } catch {
            return error
        }
    }

    private func with(_ hazard: Broadcast.Hazard) -> GeneralBroadcast {
        GeneralBroadcast(hazard: hazard, id: id, arguments: arguments, count: count)
    }

    /// True if services must be created first: the list may lack instances, and this broadcast is about to call its
    /// observers.
    private func waitsForServices(_ request: BroadcastRequest) -> Bool {
        let list = Broadcast.list(hazard)
        // The id is tested first: in another method's list nothing else has a meaning.
        guard peal_snapshot_method(list) == id, list.isPending, mistake(in: request) == nil else { return false }
        return !traits.restrictsRecursion || !ProtectedMethods.contains(id, besides: hazard)
    }
}
