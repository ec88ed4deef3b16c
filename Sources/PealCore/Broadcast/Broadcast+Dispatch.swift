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
        _ number: UInt64, _ arguments: Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
        _ calls: UnsafeMutablePointer<Int>?
    ) -> Answer {
        guard let place = peal_directory_find(number) else { return sendSlow(number, arguments, count, result, calls) }
        if hasNoObservers(place, arguments, count, result, number) {
            if let calls { calls.pointee = 0 }
            return .done
        }
        return send(number, at: place, arguments, count, result, calls)
    }

    /// Broadcasts to the list of a directory element that was looked up before.
    @inlinable
    @inline(__always)
    static func send<Answer: BroadcastAnswer>(
        _ number: UInt64, at place: UnsafeMutablePointer<peal_directory_place>, _ arguments: Arguments?, _ count: Int,
        _ result: UnsafeMutableRawPointer?, _ calls: UnsafeMutablePointer<Int>?
    ) -> Answer {
        guard let hold = peal_hazard_outermost() else { return sendSlow(number, arguments, count, result, calls) }
        let list = List(peal_hazard_protect_fast(hold, place, UInt(PEAL_HAZARD_OF_LIBRARY)))
        return dispatch(hold, list, arguments, count, result, calls, number)
    }

    /// Broadcasts through `ffi_call` if that is the caller's only request.
    ///
    /// - Returns: nil if the broadcast needs more than that; then no observer was called.
    @inlinable
    @inline(__always)
    public static func sendForcingFFI<Answer: BroadcastAnswer>(
        _ number: UInt64, _ arguments: Arguments?, _ count: Int, _ calls: UnsafeMutablePointer<Int>?
    ) -> Answer? {
        guard let place = peal_directory_find(number), let hold = peal_hazard_outermost() else { return nil }
        if hasNoObservers(place, arguments, count, nil, number) {
            if let calls { calls.pointee = 0 }
            return .done
        }
        let list = List(peal_hazard_protect_fast(hold, place, UInt(PEAL_HAZARD_OF_LIBRARY)))
        guard peal_snapshot_method(list) == number, peal_snapshot_parameter_count(list) == count,
            MethodTraits(rawValue: peal_snapshot_traits(list)).isPlain
        else {
            release(hold)
            return nil
        }
        return sendThroughFFI(hold, list, arguments, count, calls, number)
    }

    /// Broadcasts on the slow path to the list: for the thread's first broadcast, and inside another broadcast.
    @inlinable
    @inline(never)
    static func sendSlow<Answer: BroadcastAnswer>(
        _ number: UInt64, _ arguments: Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
        _ calls: UnsafeMutablePointer<Int>?
    ) -> Answer {
        do throws(Outcome) {
            let hold = try hold(number, arguments, count)
            return dispatch(hold, list(hold), arguments, count, result, calls, number)
        } catch {
            return Answer(error)
        }
    }

    /// Makes the calls of a protected list by the shortest path that the list's traits allow, and releases it.
    @inlinable
    @inline(__always)
    static func dispatch<Answer: BroadcastAnswer>(
        _ hold: Hold, _ list: List, _ arguments: Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
        _ calls: UnsafeMutablePointer<Int>?, _ number: UInt64
    ) -> Answer {
        // The number is tested first: in another method's list nothing else has a meaning.
        guard peal_snapshot_method(list) == number, result == nil else {
            return sendWithResult(hold, arguments, count, result, calls, number)
        }
        let traits = MethodTraits(rawValue: peal_snapshot_traits(list))
        if traits.takesIntegers(count) { return sendIntegers(hold, list, arguments, count, calls, number) }
        guard peal_snapshot_parameter_count(list) == count else {
            return sendGenerally(hold, arguments, count, nil, calls, number)
        }
        if let shape = traits.plainFrame {
            return shape.usesStack
                ? sendOnStack(hold, list, arguments, count, calls, number)
                : sendInRegisters(hold, list, arguments, count, calls, number)
        }
        return traits.isPlain
            ? sendThroughFFI(hold, list, arguments, count, calls, number)
            : sendGenerally(hold, arguments, count, nil, calls, number)
    }

    /// Calls observers with up to four integers: no frame in memory, and no more words than the method has.
    @inlinable
    @inline(never)
    static func sendIntegers<Answer: BroadcastAnswer>(
        _ hold: Hold, _ list: List, _ arguments: Arguments?, _ count: Int, _ calls: UnsafeMutablePointer<Int>?,
        _ number: UInt64
    ) -> Answer {
        let replay = IntegerReplay(
            PointedIntegers(arguments), MethodTraits(rawValue: peal_snapshot_traits(list)),
            to: peal_snapshot_entries(list),
            count: Int(peal_snapshot_count(list)), hold)
        return answer(replay.replay(count), hold, arguments, count, calls, number)
    }

    /// Calls observers with a frame on the thread's stack, whose words are all passed in registers.
    @inlinable
    @inline(never)
    static func sendInRegisters<Answer: BroadcastAnswer>(
        _ hold: Hold, _ list: List, _ arguments: Arguments?, _ count: Int, _ calls: UnsafeMutablePointer<Int>?,
        _ number: UInt64
    ) -> Answer {
        answer(replayInRegisters(hold, list, arguments), hold, arguments, count, calls, number)
    }

    /// Calls observers with a frame some of whose words are passed on the stack. A function of its own, because its
    /// frame is twice the size.
    @inlinable
    @inline(never)
    static func sendOnStack<Answer: BroadcastAnswer>(
        _ hold: Hold, _ list: List, _ arguments: Arguments?, _ count: Int, _ calls: UnsafeMutablePointer<Int>?,
        _ number: UInt64
    ) -> Answer {
        answer(replayOnStack(hold, list, arguments), hold, arguments, count, calls, number)
    }

    @inlinable
    @inline(never)
    static func sendThroughFFI<Answer: BroadcastAnswer>(
        _ hold: Hold, _ list: List, _ arguments: Arguments?, _ count: Int, _ calls: UnsafeMutablePointer<Int>?,
        _ number: UInt64
    ) -> Answer {
        answer(replayThroughFFI(hold, list, arguments), hold, arguments, count, calls, number)
    }

    /// Releases the list after its calls. A null argument, for which `called` is nil, takes the general path.
    @inlinable
    @inline(__always)
    static func answer<Answer: BroadcastAnswer>(
        _ called: Int?, _ hold: Hold, _ arguments: Arguments?, _ count: Int, _ calls: UnsafeMutablePointer<Int>?,
        _ number: UInt64
    ) -> Answer {
        guard let called else { return sendGenerally(hold, arguments, count, nil, calls, number) }
        if let calls { calls.pointee = called }
        release(hold)
        return .done
    }

    @inlinable
    @inline(never)
    static func sendWithResult<Answer: BroadcastAnswer>(
        _ hold: Hold, _ arguments: Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
        _ calls: UnsafeMutablePointer<Int>?, _ number: UInt64
    ) -> Answer {
        let traits = MethodTraits(rawValue: peal_snapshot_traits(list(hold)))
        if traits.takesIntegers(count), traits.keepsLast,
            ResultBroadcast.sendIntegers(hold, arguments, count, result, calls, number)
        {
            return .done
        }
        if let outcome = ResultBroadcast.send(hold, arguments, count, result, nil, calls, number) {
            return outcome == .done ? .done : Answer(outcome)
        }
        return sendGenerally(hold, arguments, count, result, calls, number)
    }

    /// Makes the calls of all other broadcasts: those with results or restricted recursion, with observers that are not
    /// simply called, and mistakes. After a failure `BroadcastFailure.last` returns which call failed.
    @inlinable
    @inline(never)
    static func sendGenerally<Answer: BroadcastAnswer>(
        _ hold: Hold, _ arguments: Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
        _ calls: UnsafeMutablePointer<Int>?, _ number: UInt64
    ) -> Answer {
        let outcome = runGenerally(hold, arguments, count, result, calls, number)
        return outcome == .done ? .done : Answer(outcome)
    }

    @usableFromInline
    @_optimize(speed)
    static func runGenerally(
        _ hold: Hold, _ arguments: Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
        _ calls: UnsafeMutablePointer<Int>?, _ number: UInt64
    ) -> Outcome {
        let list = list(hold)
        if Delivery.isEnough(for: list, of: number) {
            if result == nil, peal_snapshot_parameter_count(list) == count {
                return Delivery.send(hold, .pointers(arguments), calls, number)
            }
        }
        return runWithResults(hold, arguments, count, result, calls, number)
    }

    /// Makes the calls for their results if nothing else is special, or else those of a broadcast of any kind.
    @inline(never)
    private static func runWithResults(
        _ hold: Hold, _ arguments: Arguments?, _ count: Int, _ result: UnsafeMutableRawPointer?,
        _ calls: UnsafeMutablePointer<Int>?, _ number: UInt64
    ) -> Outcome {
        if let outcome = ResultBroadcast.send(hold, arguments, count, result, nil, calls, number) { return outcome }
        return GeneralBroadcast(hold: hold, number: number, arguments: arguments, count: count)
            .runAndRelease(BroadcastRequest(result: result), calls: calls)
    }

    /// - Returns: True if there is no observer to call and no result to fill in. The method's element shows that, and
    ///   no list is protected.
    @inlinable
    @inline(__always)
    static func hasNoObservers(
        _ place: UnsafeMutablePointer<peal_directory_place>, _ arguments: Arguments?, _ count: Int,
        _ result: UnsafeMutableRawPointer?, _ number: UInt64
    ) -> Bool {
        guard _slowPath(peal_directory_is_empty(place)), result == nil else { return false }
        // The number is loaded last: if it is the method's, so was all that was loaded before it.
        guard peal_directory_parameter_count(place) == count, peal_directory_is_of(place, number) else { return false }
        return count == 0 ? true : arguments != nil
    }
}
