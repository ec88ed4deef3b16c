public import CPeal

extension BoundMethod where Result: PealValue {
    /// Calls all observers, and gives all results, in the order of the calls.
    ///
    /// Whatever the method's policy is. Observers with queues answer too late for this: `gather` waits for them.
    @inlinable
    public func collect(_ arguments: repeat each Parameter) throws(PealError) -> [Result] {
        try fold(into: [], repeat each arguments) { results, result in
            results.append(result)
            return true
        }
    }

    /// Calls observers, and gives each result to a function, which decides whether to go on.
    ///
    ///     let longest = try names.fold(into: "") { longest, name in
    ///         if name.count > longest.count { longest = name }
    ///         return true
    ///     }
    ///
    /// `peal_send_with` and `PEAL_POLICY_FOLD` in C.
    ///
    /// - Parameters:
    ///   - initial: What comes out when nobody is called.
    ///   - combine: Takes a result in. Returns `false` to call nobody else. Runs on this thread, with no lock held.
    @inlinable
    public func fold<Accumulator>(
        into initial: Accumulator, _ arguments: repeat each Parameter,
        combine: (inout Accumulator, Result) -> Bool
    ) throws(PealError) -> Accumulator {
        var accumulator = initial
        var status = PEAL_OK
        let handle = handle
        try withoutActuallyEscaping(combine) { combine throws(PealError) in
            try withArguments(repeat each arguments) { list, count in
                withUnsafeMutablePointer(to: &accumulator) { accumulator in
                    var step = FoldStep { result in
                        combine(&accumulator.pointee, Result(cValue: result.loadUnaligned(as: Result.CValue.self)))
                    }
                    status = step.send(handle, list, count)
                }
            }
        }
        try PealError.check(status)
        return accumulator
    }
}

/// A fold's function, without the types of its results.
@usableFromInline
struct FoldStep {
    private let take: (UnsafeRawPointer) -> Bool

    @usableFromInline
    init(_ take: @escaping (UnsafeRawPointer) -> Bool) { self.take = take }

    @usableFromInline
    mutating func send(
        _ method: peal_method, _ list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ count: Int
    ) -> peal_status {
        withUnsafeMutablePointer(to: &self) { step in
            var options = peal_send_options()
            options.size = MemoryLayout<peal_send_options>.size
            options.policy = PEAL_POLICY_FOLD
            options.fold_context = UnsafeMutableRawPointer(step)
            options.fold = { context, _, result in
                guard let context, let result else { return false }
                return context.assumingMemoryBound(to: FoldStep.self).pointee.take(result)
            }
            // The accumulator is the step's own affair; C wants one that is not NULL.
            return peal_send_with(method, list, count, &options, step, nil)
        }
    }
}
