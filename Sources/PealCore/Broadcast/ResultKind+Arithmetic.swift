internal import CPealSupport
import PealCall

extension ResultKind {
    var isReal: Bool {
        switch self {
        case .float, .double, .longDouble: true
        default: false
        }
    }

    var isSigned: Bool {
        switch self {
        case .int8, .int16, .int32, .int64: true
        default: false
        }
    }

    func isNonzero(_ value: UnsafeRawPointer) -> Bool {
        switch self {
        case .void, .opaque: false
        case .bool, .int8, .uint8: value.loadUnaligned(as: UInt8.self) != 0
        case .int16, .uint16: value.loadUnaligned(as: UInt16.self) != 0
        case .int32, .uint32: value.loadUnaligned(as: UInt32.self) != 0
        case .int64, .uint64, .pointer: value.loadUnaligned(as: UInt64.self) != 0
        case .float: value.loadUnaligned(as: Float.self) != 0
        case .double: value.loadUnaligned(as: Double.self) != 0
        case .longDouble: peal_long_double_is_nonzero(value)
        }
    }

    /// Adds a value to a sum. An integer sum saturates at the limits of its type.
    func add(_ value: UnsafeRawPointer, to sum: UnsafeMutableRawPointer) {
        switch self {
        case .int8: addInteger(Int8.self, value, sum)
        case .uint8: addInteger(UInt8.self, value, sum)
        case .int16: addInteger(Int16.self, value, sum)
        case .uint16: addInteger(UInt16.self, value, sum)
        case .int32: addInteger(Int32.self, value, sum)
        case .uint32: addInteger(UInt32.self, value, sum)
        case .int64: addInteger(Int64.self, value, sum)
        case .uint64: addInteger(UInt64.self, value, sum)
        case .float: addFloat(Float.self, value, sum)
        case .double: addFloat(Double.self, value, sum)
        case .longDouble: peal_long_double_add(value, sum)
        case .void, .bool, .pointer, .opaque: break
        }
    }

    func isLess(_ left: UnsafeRawPointer, than right: UnsafeRawPointer) -> Bool {
        switch self {
        case .int8: compare(Int8.self, left, right)
        case .uint8: compare(UInt8.self, left, right)
        case .int16: compare(Int16.self, left, right)
        case .uint16: compare(UInt16.self, left, right)
        case .int32: compare(Int32.self, left, right)
        case .uint32: compare(UInt32.self, left, right)
        case .int64: compare(Int64.self, left, right)
        case .uint64: compare(UInt64.self, left, right)
        case .float: compare(Float.self, left, right)
        case .double: compare(Double.self, left, right)
        case .longDouble: peal_long_double_is_less(left, right)
        case .void, .bool, .pointer, .opaque: false
        }
    }

    @inline(__always)
    private func addInteger<Number: FixedWidthInteger & BitwiseCopyable>(
        _ type: Number.Type, _ value: UnsafeRawPointer, _ sum: UnsafeMutableRawPointer
    ) {
        let left = sum.loadUnaligned(as: type)
        let right = value.loadUnaligned(as: type)
        let (total, overflow) = left.addingReportingOverflow(right)
        sum.storeBytes(of: overflow ? (right < 0 ? .min : .max) : total, as: type)
    }

    @inline(__always)
    private func addFloat<Number: BinaryFloatingPoint & BitwiseCopyable>(
        _ type: Number.Type, _ value: UnsafeRawPointer, _ sum: UnsafeMutableRawPointer
    ) {
        sum.storeBytes(of: sum.loadUnaligned(as: type) + value.loadUnaligned(as: type), as: type)
    }

    @inline(__always)
    private func compare<Number: Comparable & BitwiseCopyable>(
        _ type: Number.Type, _ left: UnsafeRawPointer, _ right: UnsafeRawPointer
    ) -> Bool {
        left.loadUnaligned(as: type) < right.loadUnaligned(as: type)
    }
}
