import PealCall

/// Copies argument values with what they point to, as their declaration says: strings, counted and
/// sized buffers. Other pointers are copied as they are; who declares such a method promises that what
/// they point to outlives the copy.
struct ArgumentCopy {
    private let signature: Signature
    private let sizes: UnsafePointer<Int>

    init(_ signature: Signature, plan: CallPlan.Pointer) {
        self.signature = signature
        sizes = plan.pointee.parameterSizes
    }

    private static let alignment = 16

    /// How much memory `fill` needs, in bytes.
    func size(of arguments: Broadcast.Arguments?) -> Int {
        guard let arguments else { return 0 }
        return signature.parameters.indices.reduce(0) { total, index in
            total + sizes[index].roundedUp(to: Self.alignment)
                + pointeeSize(index, arguments).roundedUp(to: Self.alignment)
        }
    }

    /// Writes the copies to `memory` and the addresses of the copied values to `pointers`.
    func fill(
        _ pointers: UnsafeMutablePointer<UnsafeMutableRawPointer?>, from arguments: Broadcast.Arguments?,
        behind memory: UnsafeMutableRawPointer
    ) {
        guard let arguments else { return }
        var free = memory
        for index in signature.parameters.indices {
            guard let source = arguments[index] else { continue }
            free.copyMemory(from: source, byteCount: sizes[index])
            pointers[index] = free
            let value = free
            free += sizes[index].roundedUp(to: Self.alignment)

            let length = pointeeSize(index, arguments)
            guard length > 0, let pointee = source.load(as: UnsafeRawPointer?.self) else { continue }
            free.copyMemory(from: pointee, byteCount: length)
            value.storeBytes(of: free, as: UnsafeMutableRawPointer.self)
            free += length.roundedUp(to: Self.alignment)
        }
    }

    /// The bytes behind a pointer that are to be copied too.
    private func pointeeSize(_ index: Int, _ arguments: Broadcast.Arguments) -> Int {
        guard let source = arguments[index] else { return 0 }
        switch signature.parameters[index].ownership {
        case .value, .function, .bare:
            return 0
        case .string:
            return source.load(as: UnsafePointer<CChar>?.self).map(Self.length) ?? 0
        case .counted(let length, let elementSize, _):
            return source.load(as: UInt.self) == 0 ? 0 : Self.bytes(count(length, arguments), elementSize)
        case .sized(let length, _):
            return source.load(as: UInt.self) == 0 ? 0 : Self.bytes(count(length, arguments), 1)
        }
    }

    /// The length of a C string with its zero.
    private static func length(_ string: UnsafePointer<CChar>) -> Int {
        var end = string
        while end.pointee != 0 { end += 1 }
        return end - string + 1
    }

    /// No buffer is longer than half the address space; what says so is not a length.
    private static func bytes(_ count: Int, _ elementSize: Int) -> Int {
        let (bytes, overflow) = count.multipliedReportingOverflow(by: elementSize)
        return overflow || bytes < 0 ? 0 : bytes
    }

    private func count(_ length: Ownership.Length, _ arguments: Broadcast.Arguments) -> Int {
        switch length {
        case .constant(let count): count
        case .parameter(let index): arguments[index].map { integer($0, of: signature.parameters[index].shape) } ?? 0
        }
    }

    private func integer(_ value: UnsafeMutableRawPointer, of shape: ValueShape) -> Int {
        switch shape {
        case .int8: Int(value.load(as: Int8.self))
        case .uint8, .bool: Int(value.load(as: UInt8.self))
        case .int16: Int(value.load(as: Int16.self))
        case .uint16: Int(value.load(as: UInt16.self))
        case .int32: Int(value.load(as: Int32.self))
        case .uint32: Int(value.load(as: UInt32.self))
        default: Int(truncatingIfNeeded: value.load(as: Int64.self))
        }
    }
}
