internal import CFFI
internal import CPealSupport

/// Learns from libffi in which registers a result of a given shape is returned.
///
/// Functions that return known words in known registers are called as if they returned the shape. The function whose
/// words libffi returns shows the registers.
enum ResultProbe {
    static func location(of result: ValueShape, interface: UnsafeMutablePointer<ffi_cif>, parameters: [ValueShape])
        -> ResultLocation
    {
        guard result != .void else { return .none }
        let size = result.size
        guard size <= MemoryLayout<peal_result_room>.size else { return .elsewhere }
        let candidates: [ResultLocation] =
            size <= 8 ? [.integer, .float, .singles] : [.integers, .floats, .integerFloat, .floatInteger, .singles]
        return candidates.first { location in
            isReturned(in: location, size: size, interface: interface, parameters: parameters)
        } ?? .elsewhere
    }

    /// Returns true if libffi returns the words of the function that returns them in `location`.
    private static func isReturned(
        in location: ResultLocation, size: Int, interface: UnsafeMutablePointer<ffi_cif>,
        parameters: [ValueShape]
    ) -> Bool {
        var expected = Array(repeating: UInt64(0), count: Int(PEAL_RESULT_FLOATS))
        peal_probe_expect(Int32(location.rawValue), &expected)
        let largest = parameters.map { $0.size }.reduce(16, max)
        return withUnsafeTemporaryAllocation(byteCount: 64 + largest, alignment: 16) { memory in
            memory.initializeMemory(as: UInt8.self, repeating: 0)
            // All arguments may be the same zeros.
            let value = memory.baseAddress! + 64
            var slots = [UnsafeMutableRawPointer?](repeating: value, count: parameters.count + 1)
            // libffi may overwrite the pointers to large structs. The slots are not used again.
            ffi_call(interface, peal_probe_result(Int32(location.rawValue)), memory.baseAddress, &slots)
            return expected.withUnsafeBytes { expected in
                (0..<size).allSatisfy { memory[$0] == expected[$0] }
            }
        }
    }
}
