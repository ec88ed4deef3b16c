public import CPealSupport

/// The functions by which a pointed-to value is captured: an object is retained and released, a struct is copied and
/// destroyed.
///
/// There is one permanent table for each pair of functions in the process. It counts the captures that will call these
/// functions, and the release of a capture may decrement that count at any time. So before code is unloaded, remove its
/// types, then wait until `outstanding` is zero.
public struct TypeHooks: Sendable {
    public typealias Retain = @convention(c) (_ object: UnsafeMutableRawPointer?) -> Void
    public typealias Copy = @convention(c) (_ value: UnsafeRawPointer?) -> UnsafeMutableRawPointer?
    public typealias Release = @convention(c) (_ captured: UnsafeMutableRawPointer?) -> Void

    // Never freed; its functions never change, and its counts are atomic.
    public nonisolated(unsafe) let table: UnsafeMutablePointer<peal_type_hooks>

    /// Returns the functions of an object type.
    public static func object(
        retain: @escaping Retain, release: @escaping Release
    ) throws(OutOfMemory) -> TypeHooks {
        let key = Key(
            retain: unsafeBitCast(retain, to: UInt.self), copy: 0, release: unsafeBitCast(release, to: UInt.self))
        return try find(key) {
            peal_type_hooks(retain: retain, copy: nil, release: release, captures: 0, registrations: 0)
        }
    }

    /// Returns the functions of a struct type.
    public static func structure(
        copy: @escaping Copy, destroy: @escaping Release
    ) throws(OutOfMemory) -> TypeHooks {
        let key = Key(
            retain: 0, copy: unsafeBitCast(copy, to: UInt.self), release: unsafeBitCast(destroy, to: UInt.self))
        return try find(key) {
            peal_type_hooks(retain: nil, copy: copy, release: destroy, captures: 0, registrations: 0)
        }
    }

    /// Objects are retained, structs are copied.
    public var isObject: Bool { table.pointee.retain != nil }

    /// The number of captures that have not been released.
    public var outstanding: Int { Int(peal_hooks_captures(table)) }

    /// Counts a type that has these functions. At zero, no value is captured by them.
    public func register() { peal_hooks_register(table) }
    public func unregister() { peal_hooks_unregister(table) }

    public var isRegistered: Bool { peal_hooks_are_registered(table) }

    /// The hooks of all pairs of functions that the process has used.
    public static var all: [TypeHooks] { known.withLock { Array($0.values) } }

    private struct Key: Hashable, Sendable {
        let retain, copy, release: UInt
    }

    private static let known = Guarded<[Key: TypeHooks]>([:])

    private static func find(_ key: Key, _ make: () -> peal_type_hooks) throws(OutOfMemory) -> TypeHooks {
        try known.withLock { (known) throws(OutOfMemory) in
            if let hooks = known[key] { return hooks }
            let table = try RawMemory.allocate(peal_type_hooks.self, count: 1)
            table.initialize(to: make())
            let hooks = TypeHooks(table: table)
            known[key] = hooks
            return hooks
        }
    }
}

extension TypeHooks: Hashable {
    public static func == (left: TypeHooks, right: TypeHooks) -> Bool { left.table == right.table }
    public func hash(into hasher: inout Hasher) { hasher.combine(table) }
}

/// The functions that encode and decode the values of a type, by their addresses. peal itself does not call them.
public struct TypeCodec: Hashable, Sendable {
    public let encode, decode: UInt

    public init(encode: UInt, decode: UInt) {
        self.encode = encode
        self.decode = decode
    }
}
