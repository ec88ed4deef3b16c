internal import CPealSupport
import PealCall

/// The callees of the thunks in the tables of an observer with a handler. No fast path allocates, acquires a lock or
/// changes a count. The handler receives pointers to the arguments' original locations, or to copies where a value is
/// divided or misaligned.
enum HandlerCall {
    typealias Handler = UnsafePointer<peal_observer_handler>

    /// Up to four integers.
    @inline(never)
    @_optimize(speed)
    static func integers(
        _ handler: Handler, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ index: UInt64
    ) -> UInt64 {
        let cell = peal_handler_cell_at(handler, index)
        // A struct may take two words, and then the words are not one for each parameter.
        guard _fastPath(cell.pointee.is_words) else { return numbers(handler, a, b, c, d, index, 0, 0).integer }
        var words = (a, b, c, d)
        var result = UInt64(0)
        withUnsafeMutablePointer(to: &words) { words in
            let word = UnsafeMutableRawPointer(words)
            let arguments: (Slot, Slot, Slot, Slot) = (word, word + 8, word + 16, word + 24)
            withUnsafePointer(to: arguments) { arguments in
                withUnsafeMutablePointer(to: &result) { result in
                    run(
                        handler, cell, index,
                        UnsafeRawPointer(arguments).assumingMemoryBound(to: Slot.self), result)
                }
            }
        }
        return result
    }

    private typealias Slot = UnsafeMutableRawPointer?

    /// Up to four integers and two floating-point numbers.
    @inline(never)
    @_optimize(speed)
    static func numbers(
        _ handler: Handler, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ index: UInt64, _ x: Double,
        _ y: Double
    ) -> peal_thunk_number {
        let cell = peal_handler_cell_at(handler, index)
        let plan = cell.pointee.plan.assumingMemoryBound(to: CallPlan.self)
        var frame = peal_register_frame_room()
        var result = UInt64(0)
        withUnsafeMutablePointer(to: &frame) { frame in
            let word = UnsafeMutableRawPointer(frame).assumingMemoryBound(to: UInt64.self)
            (word[1], word[2], word[3], word[4]) = (a, b, c, d)
            let floats = Int(PEAL_FRAME_FIRST_FLOAT)
            (word[floats], word[floats + 1]) = (x.bitPattern, y.bitPattern)
            withUnsafeMutablePointer(to: &result) { result in
                withArguments(of: word, nil, plan, cell) { run(handler, cell, index, $0, result) }
            }
        }
        return peal_thunk_number(word: result)
    }

    /// Any other frame.
    ///
    /// - Returns: True if there is a result.
    @inline(never)
    @_optimize(speed)
    static func frame(
        _ handler: Handler, _ words: UnsafeMutablePointer<UInt64>, _ index: UInt32, _ stack: UnsafePointer<UInt64>,
        _ result: UnsafeMutablePointer<peal_thunk_result>
    ) -> Bool {
        let cell = peal_handler_cell_at(handler, UInt64(index))
        let plan = cell.pointee.plan.assumingMemoryBound(to: CallPlan.self)
        var room = peal_result_room()
        withUnsafeMutablePointer(to: &room) { room in
            withArguments(of: words, stack, plan, cell) { run(handler, cell, UInt64(index), $0, room) }
            if cell.pointee.has_result {
                result.initialize(to: peal_thunk_result(room, in: plan.pointee.resultLocation))
            }
        }
        return cell.pointee.has_result
    }

    /// A call of a closure, for shapes that have no frame.
    static func arguments(
        _ handler: Handler, _ index: Int, _ arguments: Broadcast.Arguments, _ result: UnsafeMutableRawPointer
    ) {
        let cell = peal_handler_cell_at(handler, UInt64(index))
        guard cell.pointee.needs_copies else { return run(handler, cell, UInt64(index), arguments, result) }
        let copying = cell.pointee.copying.assumingMemoryBound(to: CopyPlan.self)
        copying.withCopies(of: arguments) { run(handler, cell, UInt64(index), $0, result) }
    }

    @inline(__always)
    private static func run(
        _ handler: Handler, _ cell: UnsafePointer<peal_handler_cell>, _ index: UInt64, _ arguments: Broadcast.Arguments,
        _ result: UnsafeMutableRawPointer
    ) {
        var call = peal_call()
        withUnsafeMutablePointer(to: &call) { call in
            // Filled in place, since a copy would cost as much as the rest.
            peal_handled_call_fill(
                call, cell.pointee.method, Int(truncatingIfNeeded: index), arguments,
                cell.pointee.has_result ? result : nil)
            handler.pointee.function(handler.pointee.target, call)
        }
    }

    /// Points to the arguments of a frame in place. If a value is divided between several locations, `body` receives
    /// copies.
    ///
    /// - Parameter stack: The words of the stack, read if the shape has some; nil if it has none.
    @inline(__always)
    private static func withArguments(
        of words: UnsafeMutablePointer<UInt64>, _ stack: UnsafePointer<UInt64>?, _ plan: CallPlan.Pointer,
        _ cell: UnsafePointer<peal_handler_cell>, _ body: (Broadcast.Arguments) -> Void
    ) {
        guard let locations = plan.pointee.wordLocations else { return withCopies(of: words, stack, plan, cell, body) }
        let firstStack = Int(PEAL_FRAME_FIRST_STACK)
        withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: Int(PEAL_FRAME_WORDS)) { memory in
            let arguments = memory.baseAddress.unsafelyUnwrapped
            let count = plan.pointee.parameterCount
            var index = 0
            while index < count {
                let location = Int(locations[index])
                if let stack, location >= firstStack {
                    arguments[index] = UnsafeMutableRawPointer(mutating: stack + (location - firstStack))
                } else {
                    arguments[index] = UnsafeMutableRawPointer(words + location)
                }
                index += 1
            }
            body(arguments)
        }
    }

    @inline(never)
    private static func withCopies(
        of words: UnsafeMutablePointer<UInt64>, _ stack: UnsafePointer<UInt64>?, _ plan: CallPlan.Pointer,
        _ cell: UnsafePointer<peal_handler_cell>, _ body: (Broadcast.Arguments) -> Void
    ) {
        if let stack, plan.pointee.stackWords > 0 {
            ProxyCall.copyStack(stack, to: words + Int(PEAL_FRAME_FIRST_STACK), plan.pointee.stackWords)
        }
        cell.pointee.copying.assumingMemoryBound(to: CopyPlan.self).withArguments(of: .words(words, plan)) {
            arguments in
            if let arguments { body(arguments) }
        }
    }
}
