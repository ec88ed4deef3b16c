public import PealCall

/// What a broadcast must look at before it calls, packed in the word that a snapshot carries:
///
///     bits 0-4    the policy: `all` for `last` too, which differs from it only where a result is asked for
///     bit 5       the list is unsettled: some entries are yet to be put in order
///     bit 6       the policy is `last`
///     bit 7       some services that observe the list lazily have no instance on it
///     bit 8, 9    nested calls are deferred, are rejected
///     bits 10-13  which of up to four integers are narrow
///     bit 14      some observers of the list have queues
///     bit 15      the method has a completion
///     bits 16-23  the completion's parameter; else the parameter that a result becomes in a chain, from 1; 0: none
///     bits 24-31  how a plain method's arguments travel: the number of integers from 0x80, else the
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
        if let parameter = declaration.completionParameter {
            rawValue = bits | Self.completesBit | UInt32(parameter + 1) << 16 | 0xff << 24
            return
        }
        if let parameter = Self.chainedParameter(of: declaration) { bits |= UInt32(parameter + 1) << 16 }
        let isPlain = Self(rawValue: bits).isPlain
        switch isPlain ? PlainPath(plan) : nil {
        case .integers(let count, let narrow): bits |= (Self.integersTag + UInt32(count)) << 24 | narrow << 10
        case .frame(let shape): bits |= UInt32(shape.rawValue) << 24
        case nil: bits |= 0xff << 24
        }
        rawValue = bits
    }

    /// The same for a list on which somebody is not simply called: the short paths keep off it.
    var withSpecialObservers: MethodTraits { MethodTraits(rawValue: rawValue | 0xff << 24 | Self.specialBit) }

    var isSpecial: Bool { rawValue & Self.specialBit != 0 }

    /// The same for a list on which a service's instance is missing.
    var withPendingServices: MethodTraits {
        MethodTraits(rawValue: withSpecialObservers.rawValue | Self.pendingBit)
    }

    var isPending: Bool { rawValue & Self.pendingBit != 0 }

    /// The traits of a list that the next broadcast has to put in order.
    var withUnsettledEntries: MethodTraits {
        MethodTraits(rawValue: withSpecialObservers.rawValue | Self.unsettledBit)
    }

    var isUnsettled: Bool { rawValue & Self.unsettledBit != 0 }

    /// Returns true if a broadcast must settle the list or have services created before it calls.
    var needsPreparation: Bool { rawValue & (Self.pendingBit | Self.unsettledBit) != 0 }

    /// True if the last result is the broadcast's.
    @inlinable
    @inline(__always)
    var keepsLast: Bool { rawValue & 0x40 != 0 }

    /// Each call of the method gets a completion of its own.
    var hasCompletion: Bool { rawValue & Self.completesBit != 0 }

    var completionParameter: Int? { hasCompletion ? Int(rawValue >> 16 & 0xff) - 1 : nil }

    private static var unsettledBit: UInt32 { 1 << 5 }
    private static var keepsLastBit: UInt32 { 1 << 6 }
    private static var pendingBit: UInt32 { 1 << 7 }
    private static var completesBit: UInt32 { 1 << 15 }
    private static var specialBit: UInt32 { 1 << 14 }
    private static var defersBit: UInt32 { 1 << 8 }
    private static var rejectsBit: UInt32 { 1 << 9 }
    private static var integersTag: UInt32 { 0x80 }

    /// Whether the method is plain and takes this many integers and nothing else.
    @inlinable
    @inline(__always)
    func takesIntegers(_ count: Int) -> Bool {
        Int(rawValue >> 24) &- 0x80 == count
    }

    /// How many integers a plain method takes, and nothing else; nil for any other method.
    @inline(__always)
    var integerCount: Int? {
        let count = rawValue >> 24 &- 0x80
        return count <= 4 ? Int(count) : nil
    }

    /// The same for up to two.
    @inline(__always)
    var takesFewIntegers: Bool { rawValue >> 24 &- 0x80 <= 2 }
    var takesNothing: Bool { rawValue >> 24 == 0x80 }

    @inlinable
    @inline(__always)
    func isNarrow(_ index: UInt32) -> Bool { rawValue & 1 << (10 + index) != 0 }

    /// Whether recursion is free, and a broadcast that asks for no result looks at none.
    @inlinable
    @inline(__always)
    var isPlain: Bool { rawValue & 0xc3bf == 1 }

    /// The same where some observers have queues, and nothing else about them is special.
    @inline(__always)
    var isPlainWithQueues: Bool { rawValue & 0xc3bf == 0x4001 }

    /// Whether recursion is free, and results are dropped also where one is asked for.
    @inline(__always)
    var isPlainWithoutResult: Bool { rawValue & 0xc3ff == 1 }

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

    /// Whether a typed loop may not simply run over the list.
    @inlinable
    @inline(__always)
    var needsCloserLook: Bool { rawValue & 0xc300 != 0 }

    @inline(__always)
    var policy: BroadcastPolicy {
        keepsLast ? .last : BroadcastPolicy(bits: UInt8(rawValue & 0x1f))
    }

    /// The parameter that a result becomes in a chain, or nil where none has its type. Also known for
    /// methods with another policy: a broadcast may ask for a chain.
    var chainedParameter: Int? {
        let parameter = hasCompletion ? 0 : Int(rawValue >> 16 & 0xff)
        return parameter == 0 ? nil : parameter - 1
    }

    private static func chainedParameter(of declaration: MethodDeclaration) -> Int? {
        if case .chain(let parameter) = declaration.policy { return parameter }
        let result = declaration.signature.result
        return result.isVoid ? nil : declaration.signature.parameters.firstIndex { $0.type == result }
    }
}
