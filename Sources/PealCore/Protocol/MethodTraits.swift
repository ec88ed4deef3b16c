public import PealCall

/// All that a broadcast must test before it calls, packed in one word of the list:
///
///     bits 0-3    the policy; `last` is stored as `all`, because they differ only if a result is requested
///     bit 4       some results may not count, which matters only if a result is requested
///     bit 5       the list is unsettled: some entries are not in order yet
///     bit 6       the policy is `last`
///     bit 7       some services that observe the list lazily have no instance on it
///     bit 8, 9    nested calls are deferred, are rejected
///     bits 10-13  which of up to four integers are narrow; in a list with bit 14, bit 13: taps see the method,
///                 bit 12: the method is sticky, bit 10: a queue finds waiting calls by their method
///     bit 14      the fast path is disabled: some observers have queues, or one of the bits above is set
///     bit 15      the method has a completion
///     bits 16-22  the completion's parameter; else the parameter that a result becomes in a chain, from 1; 0: none
///     bit 23      some parameters are `_Nonnull`: arrays of arguments and calls of proxies are checked for NULL
///     bits 24-31  how a plain method's arguments are passed: the number of integers from 0x80, else the
///                 shape of a frame; 0xff for a method that has neither or is not plain
@usableFromInline
struct MethodTraits: RawRepresentable, Sendable, BitwiseCopyable {
    @usableFromInline let rawValue: UInt32

    @inlinable
    @inline(__always)
    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    init(_ declaration: MethodDeclaration, plan: CallPlan.Pointer) {
        let policy = BroadcastPolicy(declaration.policy)
        var bits = policy == .last ? Self.keepsLastBit | UInt32(BroadcastPolicy.all.rawValue) : UInt32(policy.rawValue)
        switch declaration.recursion {
        case .recursive: break
        case .defer: bits |= Self.defersBit
        case .reject: bits |= Self.rejectsBit
        }
        if declaration.signature.parameters.contains(where: { $0.isNonnull }) { bits |= Self.nonnullBit }
        if let parameter = declaration.completionParameter {
            rawValue = bits | Self.completesBit | UInt32(parameter + 1) << 16 | 0xff << 24
            return
        }
        if declaration.sticky != nil {
            rawValue = bits | Self.stickyTest | 0xff << 24
            return
        }
        if let parameter = Self.chainedParameter(of: declaration) { bits |= UInt32(parameter + 1) << 16 }
        let isFastPathEligible = Self(rawValue: bits).isFastPathEligible
        switch isFastPathEligible ? PlainPath(plan) : nil {
        case .integers(let integers):
            bits |= (Self.integersTag + UInt32(integers.count)) << 24 | Self(narrow: integers.narrow).rawValue
        case .frame(let shape): bits |= UInt32(shape.rawValue) << 24
        case nil: bits |= 0xff << 24
        }
        rawValue = bits
    }

    /// The traits that state the widths of integers alone.
    @inline(__always)
    init(narrow: UInt8) { rawValue = UInt32(narrow) << 10 }

    /// The traits of a list with an observer that is not simply called. The fast paths do not use such a list.
    var withFastPathDisabled: MethodTraits {
        let bits = isFastPathDisabled ? rawValue : rawValue & ~Self.narrowBits
        return MethodTraits(rawValue: bits | 0xff << 24 | Self.fastPathDisabledBit)
    }

    /// The traits of a list whose broadcasts taps see.
    var withTaps: MethodTraits { MethodTraits(rawValue: withFastPathDisabled.rawValue | Self.tappedBit) }

    /// The traits of a list in which some results may not count.
    var withExaminedResults: MethodTraits { MethodTraits(rawValue: rawValue | Self.examinedBit) }

    /// The traits of a list with a queue that finds waiting calls by their method.
    var withIndexedCalls: MethodTraits { MethodTraits(rawValue: withFastPathDisabled.rawValue | Self.indexedBit) }

    /// Returns true if a queue finds waiting calls of the list by their method. Only for lists with queues, where the bit
    /// has no other meaning.
    @inline(__always)
    var isIndexed: Bool { rawValue & Self.indexedBit != 0 }

    /// Returns true if some results may not count.
    var isExamined: Bool { rawValue & Self.examinedBit != 0 }

    /// Returns true if taps see broadcasts to the list.
    var isTapped: Bool { rawValue & Self.tappedTest == Self.tappedTest }

    /// Returns true if each call of the method is kept for later observers.
    var isSticky: Bool { rawValue & Self.stickyTest == Self.stickyTest }

    var isFastPathDisabled: Bool { rawValue & Self.fastPathDisabledBit != 0 }

    /// The traits of a list on which a service's instance is missing.
    var withPendingServices: MethodTraits {
        MethodTraits(rawValue: withFastPathDisabled.rawValue | Self.pendingBit)
    }

    var isPending: Bool { rawValue & Self.pendingBit != 0 }

    /// The traits of a list that the next broadcast must put in order.
    var withUnsettledEntries: MethodTraits {
        MethodTraits(rawValue: withFastPathDisabled.rawValue | Self.unsettledBit)
    }

    var isUnsettled: Bool { rawValue & Self.unsettledBit != 0 }

    /// Returns true if a broadcast must settle the list or have services created before it calls.
    var needsPreparation: Bool { rawValue & (Self.pendingBit | Self.unsettledBit) != 0 }

    /// True if the result of a broadcast is the last one.
    @inlinable
    @inline(__always)
    var keepsLast: Bool { rawValue & 0x40 != 0 }

    /// Each call of the method gets a completion of its own.
    var hasCompletion: Bool { rawValue & Self.completesBit != 0 }

    var completionParameter: Int? { hasCompletion ? Int(rawValue >> 16 & 0x7f) - 1 : nil }

    private static var examinedBit: UInt32 { 1 << 4 }
    private static var unsettledBit: UInt32 { 1 << 5 }
    private static var keepsLastBit: UInt32 { 1 << 6 }
    private static var pendingBit: UInt32 { 1 << 7 }
    private static var completesBit: UInt32 { 1 << 15 }
    private static var nonnullBit: UInt32 { 1 << 23 }
    private static var fastPathDisabledBit: UInt32 { 1 << 14 }
    private static var narrowBits: UInt32 { 0xf << 10 }
    private static var stickyTest: UInt32 { 1 << 12 | fastPathDisabledBit }
    private static var tappedBit: UInt32 { 1 << 13 }
    private static var indexedBit: UInt32 { 1 << 10 }
    private static var tappedTest: UInt32 { tappedBit | fastPathDisabledBit }
    private static var defersBit: UInt32 { 1 << 8 }
    private static var rejectsBit: UInt32 { 1 << 9 }
    private static var integersTag: UInt32 { 0x80 }

    /// Returns true if the method is plain and takes exactly this many integers.
    @inlinable
    @inline(__always)
    func takesIntegers(_ count: Int) -> Bool {
        Int(rawValue >> 24) &- 0x80 == count
    }

    /// The number of integers that a plain method takes, if it takes nothing else; nil for any other method.
    @inlinable
    @inline(__always)
    var integerCount: Int? {
        let count = rawValue >> 24 &- 0x80
        return count <= 4 ? Int(count) : nil
    }

    /// True if a plain method takes at most two integers and nothing else.
    @inline(__always)
    var takesFewIntegers: Bool { rawValue >> 24 &- 0x80 <= 2 }
    var takesNothing: Bool { rawValue >> 24 == 0x80 }

    @inlinable
    @inline(__always)
    func isNarrow(_ index: UInt32) -> Bool { rawValue & 1 << (10 + index) != 0 }

    /// Some parameters are `_Nonnull`. Only typed loops, whose arguments a compiler has checked, use the fast paths.
    var hasNonnull: Bool { rawValue & Self.nonnullBit != 0 }

    /// True if recursion is free, no argument is checked, and a broadcast without a requested result examines none.
    @inlinable
    @inline(__always)
    var isFastPathEligible: Bool { rawValue & 0x80_c3af == 1 }

    /// True for a plain method in a list in which some observers have queues, none of which finds waiting calls by their
    /// method, and which no tap sees.
    @inline(__always)
    var isQueueFastPathEligible: Bool { rawValue & 0x80_f7af == 0x4001 }

    /// True for a plain method that taps see, in a list that needs no preparation.
    @inline(__always)
    var isTapFastPathEligible: Bool { rawValue & 0x80_f3af == 0x6001 }

    /// True if recursion is free, and results are discarded even if one is requested.
    @inline(__always)
    var isFastPathEligibleWithoutResult: Bool { rawValue & 0x80_c3ef == 1 }

    /// Returns true if recursion is free, results are folded, by request or by the method's policy, each result counts,
    /// and all observers are simply called.
    @inline(__always)
    func isFoldFastPathEligible(isRequested: Bool) -> Bool {
        rawValue & 0x80_c3b0 == 0 && (rawValue & 0xf == UInt32(BroadcastPolicy.fold.rawValue) || isRequested)
    }

    /// The shape of a plain method's frame.
    @inlinable
    @inline(__always)
    var plainFrame: FrameShape? {
        let shape = rawValue >> 24
        return shape < 0x80 ? FrameShape(rawValue: UInt8(shape)) : nil
    }

    var defersRecursion: Bool { rawValue & Self.defersBit != 0 }
    var rejectsRecursion: Bool { rawValue & Self.rejectsBit != 0 }

    @inlinable
    @inline(__always)
    var restrictsRecursion: Bool { rawValue & 0x300 != 0 }

    /// True if a typed loop must not simply run over the list.
    @inlinable
    @inline(__always)
    var excludesTypedLoops: Bool { rawValue & 0xc300 != 0 }

    /// True if a call with an array of arguments must not simply run over the list.
    @inline(__always)
    var excludesArrayLoops: Bool { rawValue & 0x80_c300 != 0 }

    /// The same, or some results may not count.
    @inline(__always)
    var excludesResultLoops: Bool { rawValue & 0x80_c310 != 0 }

    @inline(__always)
    var policy: BroadcastPolicy {
        keepsLast ? .last : BroadcastPolicy(bits: UInt8(rawValue & 0xf))
    }

    /// The parameter that a result becomes in a chain, or nil if none has its type. Set for methods with another policy
    /// too, since a broadcast may request a chain.
    var chainedParameter: Int? {
        let parameter = hasCompletion ? 0 : Int(rawValue >> 16 & 0x7f)
        return parameter == 0 ? nil : parameter - 1
    }

    static func chainedParameter(of declaration: MethodDeclaration) -> Int? {
        if case .chain(let parameter) = declaration.policy { return Int(parameter) }
        let result = declaration.signature.result
        return result.isVoid ? nil : declaration.signature.parameters.firstIndex { $0.type == result }
    }
}
