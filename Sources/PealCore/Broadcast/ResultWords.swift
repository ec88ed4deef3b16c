import PealCall

/// One combined result as the words of its registers, and the number of called observers.
struct ResultWords {
    var words: (UInt64, UInt64)
    let calls: Int

    /// Calls each observer, and makes one result.
    ///
    /// - Returns: nil if the policy combines results otherwise; then no observer was called.
    @inline(__always)
    static func fold<Loops: ResultLoops>(_ policy: BroadcastPolicy, _ replay: inout Loops) -> ResultWords? {
        let plan = replay.plan
        let kind = plan.pointee.resultKind
        switch policy {
        case .last: return replay.fold(LastResult())
        case .firstTrue, .firstNonzero:
            return replay.fold(FirstResult(mask: kind.isReal ? plan.resultMask >> 1 : plan.resultMask))
        case .any, .every: return replay.fold(TruthResult(mask: plan.resultMask, isEvery: policy == .every))
        case .sum, .min, .max:
            return kind.isReal ? foldReals(policy, kind, &replay) : foldIntegers(policy, kind, &replay)
        case .all, .collect, .chain, .fold: return nil
        }
    }

    @inline(__always)
    private static func foldIntegers<Loops: ResultLoops>(
        _ policy: BroadcastPolicy, _ kind: ResultKind, _ replay: inout Loops
    ) -> ResultWords {
        kind.isSigned
            ? foldIntegers(policy, Int64(replay.plan.resultShift), &replay)
            : foldIntegers(policy, UInt64(replay.plan.resultShift), &replay)
    }

    @inline(__always)
    private static func foldIntegers<Word: FixedWidthInteger & BitwiseCopyable, Loops: ResultLoops>(
        _ policy: BroadcastPolicy, _ shift: Word, _ replay: inout Loops
    ) -> ResultWords {
        if policy == .sum { return replay.fold(SumResult(shift: shift)) }
        return replay.fold(LeastResult(shift: shift, flip: policy == .max ? ~0 : 0))
    }

    @inline(__always)
    private static func foldReals<Loops: ResultLoops>(
        _ policy: BroadcastPolicy, _ kind: ResultKind, _ replay: inout Loops
    ) -> ResultWords {
        policy == .sum && kind == .double
            ? replay.fold(DoubleSumResult()) : replay.fold(CombinedResult(policy: policy, kind: kind))
    }

    /// Stores a result of up to two words.
    @inline(__always)
    static func store(_ first: UInt64, _ second: UInt64, _ size: Int, in destination: UnsafeMutableRawPointer) {
        // The most common size is tested first.
        if _fastPath(size == MemoryLayout<UInt32>.size) {
            destination.storeBytes(of: UInt32(truncatingIfNeeded: first), as: UInt32.self)
        } else if size == MemoryLayout<UInt64>.size {
            destination.storeBytes(of: first, as: UInt64.self)
        } else if size == MemoryLayout<UInt8>.size {
            destination.storeBytes(of: UInt8(truncatingIfNeeded: first), as: UInt8.self)
        } else {
            storeOther(first, second, size, in: destination)
        }
    }

    @inline(never)
    private static func storeOther(
        _ first: UInt64, _ second: UInt64, _ size: Int, in destination: UnsafeMutableRawPointer
    ) {
        withUnsafeBytes(of: (first, second)) {
            destination.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: size)
        }
    }
}

extension CallPlan.Pointer {
    /// The bits of a result in its word. The bits above a short result are undefined.
    @inline(__always)
    var resultMask: UInt64 { .max &>> UInt64(truncatingIfNeeded: resultShift) }

    /// The number of bits between a short result and the top of its word.
    @inline(__always)
    var resultShift: Int { 64 &- 8 &* Swift.min(pointee.resultSize, 8) }
}
