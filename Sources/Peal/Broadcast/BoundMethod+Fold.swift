public import CPeal

extension BoundMethod where Result: PealAnswer {
    /// Calls all observers, and returns all results, in the order of the calls.
    ///
    /// The method's policy does not matter here. Observers with queues answer too late for this:
    /// ``gather(_:timeout:)`` waits for them.
    ///
    /// - Parameter arguments: The observers' arguments.
    /// - Returns: The results; none when no observer was called.
    /// - Throws: As a broadcast.
    ///
    /// Any thread, also from a callback. The C interface's `peal_send_with` and `PEAL_POLICY_FOLD`.
    @inlinable
    public func collect(_ arguments: repeat each Parameter) throws(PealError) -> [Result.Answer] {
        try fold(into: [], repeat each arguments) { results, result in
            results.append(result)
            return true
        }
    }

    /// Calls observers, and passes each result to a function, which decides whether to continue.
    ///
    ///     let longest = try names.fold(into: "") { longest, name in
    ///         if name.count > longest.count { longest = name }
    ///         return true
    ///     }
    ///
    /// - Parameters:
    ///   - initial: The result when no observer is called.
    ///   - arguments: The observers' arguments.
    ///   - combine: Folds one result in. Returns `false` to stop. Runs on this thread, with no lock held.
    /// - Returns: The folded value.
    /// - Throws: As a broadcast.
    ///
    /// Any thread, also from a callback. The C interface's `peal_send_with` and `PEAL_POLICY_FOLD`.
    @inlinable
    public func fold<Accumulator>(
        into initial: Accumulator, _ arguments: repeat each Parameter,
        combine: (inout Accumulator, Result.Answer) -> Bool
    ) throws(PealError) -> Accumulator {
        var accumulator = initial
        try withoutActuallyEscaping(combine) { combine throws(PealError) in
            try withUnsafeMutablePointer(to: &accumulator) { accumulator throws(PealError) in
                var step = FoldStep { result in
                    combine(&accumulator.pointee, Result.Answer.read(from: result))
                }
                try withUnsafeMutablePointer(to: &step) { step throws(PealError) in
                    var options = FoldStep.options(step)
                    // C requires an accumulator that is not NULL. The step's function ignores it, so the step itself
                    // serves.
                    _ = try send(repeat each arguments, options: &options, result: step)
                }
            }
        }
        return accumulator
    }
}

/// A fold's function, without the types of its results.
@usableFromInline
struct FoldStep {
    private let take: (UnsafeRawPointer) -> Bool

    @usableFromInline
    init(_ take: @escaping (UnsafeRawPointer) -> Bool) { self.take = take }

    /// The options that fold by a step.
    @usableFromInline
    static func options(_ step: UnsafeMutablePointer<FoldStep>) -> peal_send_options {
        var options = peal_send_options()
        options.size = MemoryLayout<peal_send_options>.size
        options.policy = PEAL_POLICY_FOLD
        options.fold_context = UnsafeMutableRawPointer(step)
        options.fold = { context, _, result in
            guard let context, let result else { return false }
            return context.assumingMemoryBound(to: FoldStep.self).pointee.take(result)
        }
        return options
    }
}
