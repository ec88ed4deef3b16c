internal import CFFI
internal import CPealSupport
import Synchronization

/// Bare functions: closures of libffi, all of whose arguments are parameters. Each closure has an id, which it
/// passes to the handler with each call.
///
/// A released closure waits for the next request of its shape. Its code is never freed: a late call detects that the
/// id is stale.
public struct BareClosure: @unchecked Sendable {
    // Unchecked, because the id is atomic, and all other pointed-to memory is constant.

    public typealias Handler =
        @convention(c) (
            _ id: UInt64, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer
        ) -> Void

    /// The user data of a closure's handler.
    private struct Context: ~Copyable {
        let id: Atomic<UInt64>
        let resultSize: Int
        let handler: Handler
        let shape: CallShape
    }

    private let context: UnsafeMutablePointer<Context>
    public let function: UnsafeRawPointer

    private struct Known {
        /// The libffi interface of a shape. Never freed.
        var interfaces: [CallShape: UInt] = [:]
        /// Released closures.
        var free: [CallShape: [BareClosure]] = [:]
    }

    private static let known = Guarded(Known())

    /// - Returns: nil where the system forbids code that is made at run time.
    public static func make(
        _ shape: CallShape, _ handler: @escaping Handler
    ) throws(OutOfMemory) -> BareClosure? {
        if let free = known.withLock({ $0.free[shape]?.popLast() }) { return free }
        peal_leaks_ignore_begin()
        defer { peal_leaks_ignore_end() }
        guard let interface = UnsafeMutablePointer<ffi_cif>(bitPattern: try interface(of: shape)) else { return nil }
        let size = max(MemoryLayout<Context>.size, 1)
        let memory = UnsafeMutableRawPointer(try RawMemory.allocate(UInt8.self, count: size))
        let context = memory.bindMemory(to: Context.self, capacity: 1)
        context.initialize(
            to: Context(id: Atomic(0), resultSize: shape.result.size, handler: handler, shape: shape))
        let function = ExecutableMemory.closure(of: interface, memory) { _, result, slots, context in
            guard let result, let slots, let context = context?.assumingMemoryBound(to: Context.self) else { return }
            ExecutableMemory.clear(result, size: context.pointee.resultSize)
            context.pointee.handler(context.pointee.id.load(ordering: .acquiring), slots, result)
        }
        guard let function else {
            context.deinitialize(count: 1)
            RawMemory.free(memory)
            return nil
        }
        return BareClosure(context: context, function: function)
    }

    /// Sets the id that later calls pass to the handler; 0 for none.
    public func connect(to id: UInt64) {
        context.pointee.id.store(id, ordering: .releasing)
    }

    public func recycle() {
        connect(to: 0)
        let shape = context.pointee.shape
        Self.known.withLock { $0.free[shape, default: []].append(self) }
    }

    private static func interface(of shape: CallShape) throws(OutOfMemory) -> UInt {
        if let interface = known.withLock({ $0.interfaces[shape] }) { return interface }
        var memory = FFITypes()
        let ffiShape = CallShape(result: shape.result.asFFIReturnsIt, parameters: shape.parameters)
        let interface = UInt(bitPattern: try memory.interface(of: ffiShape, hasTarget: false))
        memory.keep()
        // If two threads make the same interface at once, later requests find only one of the two. Neither is freed.
        known.withLock { $0.interfaces[shape] = interface }
        return interface
    }
}
