public import CPealSupport
public import PealCall

/// The dispatcher: the only place that chooses how the calls of a broadcast are made.
///
/// Each step passes the same arguments in the same registers to the next and calls it last, so the call is a jump and
/// saves no register. For that reason the functions have long, equal parameter lists.
extension Broadcast {
    /// Broadcasts arguments by pointers, as `peal_send` does.
    @inlinable
    @inline(__always)
    public static func send<Answer: BroadcastAnswer>(
        _ id: UInt64, _ arguments: Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
        _ calls: UnsafeMutablePointer<Int>?
    ) -> Answer {
        guard let element = peal_directory_find(id) else { return sendSlow(id, arguments, count, result, calls) }
        if hasNoObservers(element, arguments, count, result, id) {
            if let calls { calls.pointee = 0 }
            return .done
        }
        return send(id, at: element, arguments, count, result, calls)
    }

    /// Broadcasts to the list of a directory element that was looked up before.
    @inlinable
    @inline(__always)
    static func send<Answer: BroadcastAnswer>(
        _ id: UInt64, at element: UnsafeMutablePointer<peal_directory_element>, _ arguments: Arguments?, _ count: Int,
        _ result: UnsafeMutableRawPointer?, _ calls: UnsafeMutablePointer<Int>?
    ) -> Answer {
        guard let hazard = peal_hazard_outermost() else { return sendSlow(id, arguments, count, result, calls) }
        let list = List(peal_hazard_protect_fast(hazard, element, UInt(PEAL_HAZARD_OF_LIBRARY)))
        return dispatch(hazard, list, arguments, count, result, calls, id)
    }

    /// Broadcasts through `ffi_call` if that is the caller's only request.
    ///
    /// - Returns: nil if the broadcast needs more than that; then no observer was called.
    @inlinable
    @inline(__always)
    public static func sendForcingFFI<Answer: BroadcastAnswer>(
        _ id: UInt64, _ arguments: Arguments?, _ count: Int, _ calls: UnsafeMutablePointer<Int>?
    ) -> Answer? {
        guard let element = peal_directory_find(id), let hazard = peal_hazard_outermost() else { return nil }
        if hasNoObservers(element, arguments, count, nil, id) {
            if let calls { calls.pointee = 0 }
            return .done
        }
        let list = List(peal_hazard_protect_fast(hazard, element, UInt(PEAL_HAZARD_OF_LIBRARY)))
        guard peal_snapshot_method(list) == id, peal_snapshot_parameter_count(list) == count,
            MethodTraits(rawValue: peal_snapshot_traits(list)).isFastPathEligible
        else {
            release(hazard)
            return nil
        }
        return sendThroughFFI(hazard, list, arguments, count, calls, id)
    }

    /// Broadcasts after protecting the list on the slow path: for the thread's first broadcast, or a nested one.
    @inlinable
    @inline(never)
    static func sendSlow<Answer: BroadcastAnswer>(
        _ id: UInt64, _ arguments: Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
        _ calls: UnsafeMutablePointer<Int>?
    ) -> Answer {
        do throws(Outcome) {
            let hazard = try protect(id, arguments, count)
            return dispatch(hazard, list(hazard), arguments, count, result, calls, id)
        } catch {
            return Answer(error)
        }
    }

    /// Makes the calls of a protected list by the shortest path that the list's traits allow, and releases the list.
    @inlinable
    @inline(__always)
    static func dispatch<Answer: BroadcastAnswer>(
        _ hazard: Hazard, _ list: List, _ arguments: Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
        _ calls: UnsafeMutablePointer<Int>?, _ id: UInt64
    ) -> Answer {
        // The id is tested first: in another method's list nothing else has a meaning.
        guard peal_snapshot_method(list) == id, result == nil else {
            return sendWithResult(hazard, arguments, count, result, calls, id)
        }
        let traits = MethodTraits(rawValue: peal_snapshot_traits(list))
        if traits.takesIntegers(count) { return sendIntegers(hazard, list, arguments, count, calls, id) }
        guard peal_snapshot_parameter_count(list) == count else {
            return sendGenerally(hazard, arguments, count, nil, calls, id)
        }
        if let shape = traits.plainFrame {
            return shape.usesStack
                ? sendOnStack(hazard, list, arguments, count, calls, id)
                : sendInRegisters(hazard, list, arguments, count, calls, id)
        }
        return traits.isFastPathEligible
            ? sendThroughFFI(hazard, list, arguments, count, calls, id)
            : sendGenerally(hazard, arguments, count, nil, calls, id)
    }

    /// Calls observers with up to four integers: no frame in memory, and no more words than the method has.
    @inlinable
    @inline(never)
    static func sendIntegers<Answer: BroadcastAnswer>(
        _ hazard: Hazard, _ list: List, _ arguments: Arguments?, _ count: Int, _ calls: UnsafeMutablePointer<Int>?,
        _ id: UInt64
    ) -> Answer {
        let replay = IntegerReplay(
            PointedIntegers(arguments), MethodTraits(rawValue: peal_snapshot_traits(list)),
            to: peal_snapshot_entries(list),
            count: Int(peal_snapshot_count(list)), hazard)
        return answer(replay.replay(count), hazard, arguments, count, calls, id)
    }

    /// Calls observers with a frame on the thread's stack, whose words are all passed in registers.
    @inlinable
    @inline(never)
    static func sendInRegisters<Answer: BroadcastAnswer>(
        _ hazard: Hazard, _ list: List, _ arguments: Arguments?, _ count: Int, _ calls: UnsafeMutablePointer<Int>?,
        _ id: UInt64
    ) -> Answer {
        answer(replayInRegisters(hazard, list, arguments), hazard, arguments, count, calls, id)
    }

    /// Calls observers with a frame some of whose words are passed on the stack. A function of its own, because its
    /// frame is twice the size.
    @inlinable
    @inline(never)
    static func sendOnStack<Answer: BroadcastAnswer>(
        _ hazard: Hazard, _ list: List, _ arguments: Arguments?, _ count: Int, _ calls: UnsafeMutablePointer<Int>?,
        _ id: UInt64
    ) -> Answer {
        answer(replayOnStack(hazard, list, arguments), hazard, arguments, count, calls, id)
    }

    @inlinable
    @inline(never)
    static func sendThroughFFI<Answer: BroadcastAnswer>(
        _ hazard: Hazard, _ list: List, _ arguments: Arguments?, _ count: Int, _ calls: UnsafeMutablePointer<Int>?,
        _ id: UInt64
    ) -> Answer {
        answer(replayThroughFFI(hazard, list, arguments), hazard, arguments, count, calls, id)
    }

    /// Releases the list after its calls. A null argument, for which `called` is nil, takes the general path.
    @inlinable
    @inline(__always)
    static func answer<Answer: BroadcastAnswer>(
        _ called: Int?, _ hazard: Hazard, _ arguments: Arguments?, _ count: Int, _ calls: UnsafeMutablePointer<Int>?,
        _ id: UInt64
    ) -> Answer {
        guard let called else { return sendGenerally(hazard, arguments, count, nil, calls, id) }
        if let calls { calls.pointee = called }
        release(hazard)
        return .done
    }

    @inlinable
    @inline(never)
    static func sendWithResult<Answer: BroadcastAnswer>(
        _ hazard: Hazard, _ arguments: Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
        _ calls: UnsafeMutablePointer<Int>?, _ id: UInt64
    ) -> Answer {
        guard peal_snapshot_method(list(hazard)) == id else {
            return sendGenerally(hazard, arguments, count, result, calls, id)
        }
        let outcome = sendForResultAlone(hazard, arguments, count, result, calls, id)
        return outcome == .done ? .done : Answer(outcome)
    }

    /// Makes the calls of all other broadcasts: those with results or restricted recursion, with observers that are not
    /// simply called, and mistakes. After a failure, `BroadcastFailure.last` makes its sentence.
    @inlinable
    @inline(never)
    static func sendGenerally<Answer: BroadcastAnswer>(
        _ hazard: Hazard, _ arguments: Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
        _ calls: UnsafeMutablePointer<Int>?, _ id: UInt64
    ) -> Answer {
        let outcome = runGenerally(hazard, arguments, count, result, calls, id)
        return outcome == .done ? .done : Answer(outcome)
    }

    @usableFromInline
    @_optimize(speed)
    static func runGenerally(
        _ hazard: Hazard, _ arguments: Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
        _ calls: UnsafeMutablePointer<Int>?, _ id: UInt64
    ) -> Outcome {
        let list = list(hazard)
        if Delivery.isEligible(for: list, of: id) {
            if result == nil, peal_snapshot_parameter_count(list) == count {
                return Delivery.send(hazard, .pointers(arguments), calls, id)
            }
        }
        if isTapFastPathEligible(list, count, id), result == nil, TappedBroadcast.send(hazard, arguments, calls, id) {
            return .done
        }
        return sendForAnyResult(hazard, arguments, count, result, calls, id)
    }

    @inline(__always)
    private static func isTapFastPathEligible(_ list: List, _ count: Int, _ id: UInt64) -> Bool {
        // The id is tested first: in another method's list nothing else has a meaning.
        peal_snapshot_method(list) == id && MethodTraits(rawValue: peal_snapshot_traits(list)).isTapFastPathEligible
            && peal_snapshot_parameter_count(list) == count
    }

    /// Broadcasts without options, by the loops for results if these suffice, or else as `GeneralBroadcast`.
    @inline(never)
    static func sendForAnyResult(
        _ hazard: Hazard, _ arguments: Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
        _ calls: UnsafeMutablePointer<Int>?, _ id: UInt64
    ) -> Outcome {
        if let outcome = sendForResult(hazard, arguments, count, result, nil, calls, id) { return outcome }
        return GeneralBroadcast(hazard: hazard, id: id, arguments: arguments, count: count)
            .runAndRelease(BroadcastRequest(result: result), calls: calls)
    }

    /// - Returns: True if there is no observer to call and no result to fill in. The method's element shows that, and
    ///   no list is protected.
    @inlinable
    @inline(__always)
    static func hasNoObservers(
        _ element: UnsafeMutablePointer<peal_directory_element>, _ arguments: Arguments?, _ count: Int,
        _ result: UnsafeMutableRawPointer?, _ id: UInt64
    ) -> Bool {
        guard _slowPath(peal_directory_is_empty(element)), result == nil else { return false }
        // This thread loads the id last. A thread that closes the element changes the id before the element is filled
        // again, so while the id is the method's, the earlier loads were of this method too.
        guard peal_directory_parameter_count(element) == count, peal_directory_is_of(element, id) else { return false }
        return count == 0 ? true : arguments != nil
    }
}
