public import CPealSupport

/// Replays up to four integer arguments to every observer. They are read once and stay in registers:
/// most methods of most programs need no frame in memory.
@usableFromInline
struct IntegerReplay {
    @usableFromInline typealias Target = UnsafeMutableRawPointer
    @usableFromInline typealias NoArguments = @convention(c) (Target?) -> Void
    @usableFromInline typealias OneArgument = @convention(c) (Target?, UInt64) -> Void
    @usableFromInline typealias TwoArguments = @convention(c) (Target?, UInt64, UInt64) -> Void
    @usableFromInline typealias ThreeArguments = @convention(c) (Target?, UInt64, UInt64, UInt64) -> Void
    @usableFromInline typealias FourArguments = @convention(c) (Target?, UInt64, UInt64, UInt64, UInt64) -> Void

    @usableFromInline let snapshot: UnsafePointer<peal_snapshot>
    @usableFromInline let traits: MethodTraits
    @usableFromInline let arguments: Broadcast.Arguments?
    @usableFromInline let hold: Broadcast.Hold

    @inlinable
    @inline(__always)
    init(snapshot: UnsafePointer<peal_snapshot>, traits: MethodTraits, arguments: Broadcast.Arguments?,
        hold: Broadcast.Hold
    ) {
        self.snapshot = snapshot
        self.traits = traits
        self.arguments = arguments
        self.hold = hold
    }

    /// - Returns: How many observers were called, or nil when an argument is null.
    @inlinable
    @inline(__always)
    func replay(_ count: Int) -> Int? {
        // Compared, not looked up: two comparisons reach what is most common.
        if count == 2 {
            guard arguments != nil, let a = integer(0), let b = integer(1) else { return nil }
            return each { unsafeBitCast($0, to: TwoArguments.self)($1, a, b) }
        }
        if count == 1 {
            guard arguments != nil, let a = integer(0) else { return nil }
            return each { unsafeBitCast($0, to: OneArgument.self)($1, a) }
        }
        if count == 0 {
            return each { unsafeBitCast($0, to: NoArguments.self)($1) }
        }
        guard arguments != nil, let a = integer(0), let b = integer(1), let c = integer(2) else { return nil }
        if count == 3 {
            return each { unsafeBitCast($0, to: ThreeArguments.self)($1, a, b, c) }
        }
        guard let d = integer(3) else { return nil }
        return each { unsafeBitCast($0, to: FourArguments.self)($1, a, b, c, d) }
    }

    /// An argument as a register carries it. Of a narrow one no callee looks at the upper half.
    @inlinable
    @inline(__always)
    func integer(_ index: Int) -> UInt64? {
        guard let argument = arguments.unsafelyUnwrapped[index] else { return nil }
        return traits.isNarrow(UInt32(index))
            ? UInt64(argument.loadUnaligned(as: UInt32.self)) : argument.loadUnaligned(as: UInt64.self)
    }

    @inlinable
    @inline(__always)
    func each(_ call: (@escaping peal_frame_function, Target?) -> Void) -> Int {
        FrameReplay.each(peal_snapshot_entries(snapshot), Int(peal_snapshot_count(snapshot)), hold, call)
    }
}
