public import CPealSupport

/// The source of an integer replay's arguments.
@usableFromInline
protocol IntegerSource {
    /// The argument as a register contains it; nil if it is missing. No callee reads the upper half of a narrow
    /// argument.
    func integer(_ index: Int, isNarrow: Bool) -> UInt64?
    /// False if the arguments have changed while they were read.
    var areUnchanged: Bool { get }
}

extension IntegerSource {
    @inlinable
    @inline(__always)
    var areUnchanged: Bool { true }
}

/// Arguments by pointers, as `peal_send` has them.
@usableFromInline
struct PointedIntegers: IntegerSource {
    @usableFromInline let arguments: Broadcast.Arguments?

    @inlinable
    @inline(__always)
    init(_ arguments: Broadcast.Arguments?) { self.arguments = arguments }

    @inlinable
    @inline(__always)
    func integer(_ index: Int, isNarrow: Bool) -> UInt64? {
        guard let argument = arguments?[index] else { return nil }
        return isNarrow ? UInt64(argument.loadUnaligned(as: UInt32.self)) : argument.loadUnaligned(as: UInt64.self)
    }
}

/// Replays up to four integer arguments to every observer. They are read once and stay in registers, so most methods of
/// most programs need no frame in memory.
@usableFromInline
struct IntegerReplay<Source: IntegerSource> {
    @usableFromInline typealias Target = UnsafeMutableRawPointer
    @usableFromInline typealias NoArguments = @convention(c) (Target?) -> UInt64
    @usableFromInline typealias OneArgument = @convention(c) (Target?, UInt64) -> UInt64
    @usableFromInline typealias TwoArguments = @convention(c) (Target?, UInt64, UInt64) -> UInt64
    @usableFromInline typealias ThreeArguments = @convention(c) (Target?, UInt64, UInt64, UInt64) -> UInt64
    @usableFromInline typealias FourArguments = @convention(c) (Target?, UInt64, UInt64, UInt64, UInt64) -> UInt64

    @usableFromInline let source: Source
    @usableFromInline let traits: MethodTraits
    @usableFromInline let entries: UnsafePointer<peal_entry>
    @usableFromInline let entryCount: Int
    @usableFromInline let hazard: Broadcast.Hazard

    @inlinable
    @inline(__always)
    init(
        _ source: Source, _ traits: MethodTraits, to entries: UnsafePointer<peal_entry>, count: Int,
        _ hazard: Broadcast.Hazard
    ) {
        self.source = source
        self.traits = traits
        self.entries = entries
        entryCount = count
        self.hazard = hazard
    }

    /// - Parameter count: The number of arguments.
    /// - Returns: The number of called observers, or nil if an argument is missing or has changed.
    @inlinable
    @inline(__always)
    func replay(_ count: Int) -> Int? {
        var tail = DroppedResult()
        return replay(count, &tail)
    }

    /// Replays the arguments of a method whose result is returned in a register, and passes each result to the tail.
    @inlinable
    @inline(__always)
    func replay<Tail: ResultTail>(_ count: Int, _ tail: inout Tail) -> Int? {
        // Compared instead of looked up: two comparisons reach the most common cases.
        if count == 2 {
            guard let a = integer(0), let b = integer(1), source.areUnchanged else { return nil }
            return each(&tail) { unsafeBitCast($0, to: TwoArguments.self)($1, a, b) }
        }
        if count == 1 {
            guard let a = integer(0), source.areUnchanged else { return nil }
            return each(&tail) { unsafeBitCast($0, to: OneArgument.self)($1, a) }
        }
        if count == 0 {
            guard source.areUnchanged else { return nil }
            return each(&tail) { unsafeBitCast($0, to: NoArguments.self)($1) }
        }
        guard let a = integer(0), let b = integer(1), let c = integer(2) else { return nil }
        if count == 3 {
            guard source.areUnchanged else { return nil }
            return each(&tail) { unsafeBitCast($0, to: ThreeArguments.self)($1, a, b, c) }
        }
        guard let d = integer(3), source.areUnchanged else { return nil }
        return each(&tail) { unsafeBitCast($0, to: FourArguments.self)($1, a, b, c, d) }
    }

    @inlinable
    @inline(__always)
    func integer(_ index: Int) -> UInt64? {
        source.integer(index, isNarrow: traits.isNarrow(UInt32(index)))
    }

    @inlinable
    @inline(__always)
    func each<Tail: ResultTail>(_ tail: inout Tail, _ call: (@escaping peal_frame_function, Target?) -> UInt64) -> Int {
        FrameReplay.eachEntry(entries, entryCount, hazard) { entry in
            tail.take(call(entry.pointee.function, entry.pointee.target), 0)
        }
    }
}
