internal import CFFI

/// libffi's descriptions of values, and the memory that they take.
struct FFITypes: ~Copyable {
    typealias Pointer = UnsafeMutablePointer<ffi_type>

    private var allocations: [UnsafeMutableRawPointer] = []
    private var isKept = false

    /// Keeps the memory permanently, for the pointers to it.
    mutating func keep() {
        isKept = true
    }

    deinit {
        guard !isKept else { return }
        for allocation in allocations { RawMemory.free(allocation) }
    }

    mutating func allocate<Value: BitwiseCopyable>(
        _ type: Value.Type, count: Int
    ) throws(OutOfMemory) -> UnsafeMutablePointer<Value> {
        let memory = try RawMemory.allocate(type, count: count)
        allocations.append(memory)
        return memory
    }

    mutating func type(of shape: ValueShape) throws(OutOfMemory) -> Pointer {
        switch shape {
        case .void: peal_ffi_void()
        case .int8: peal_ffi_sint8()
        case .uint8, .bool: peal_ffi_uint8()
        case .int16: peal_ffi_sint16()
        case .uint16: peal_ffi_uint16()
        case .int32: peal_ffi_sint32()
        case .uint32: peal_ffi_uint32()
        case .int64: peal_ffi_sint64()
        case .uint64: peal_ffi_uint64()
        case .float: peal_ffi_float()
        case .double: peal_ffi_double()
        case .longDouble: peal_ffi_longdouble()
        case .complexFloat: peal_ffi_complex_float()
        case .complexDouble: peal_ffi_complex_double()
        case .complexLongDouble: peal_ffi_complex_longdouble()
        case .pointer: peal_ffi_pointer()
        case .members: try structure(shape)
        }
    }

    private mutating func structure(_ shape: ValueShape) throws(OutOfMemory) -> Pointer {
        let members =
            if case .members(let members, isUnion: false) = shape, !shape.hasUnion { members } else {
                shape.membersWithoutUnions
            }
        // The list of elements ends with a null pointer, which the zeroed memory provides.
        let elements = try allocate(Pointer?.self, count: members.count + 1)
        for (index, member) in members.enumerated() {
            elements[index] = try type(of: member)
        }
        let memory = try allocate(UInt8.self, count: MemoryLayout<ffi_type>.size)
        let type = UnsafeMutableRawPointer(memory).bindMemory(to: ffi_type.self, capacity: 1)
        type.pointee.type = peal_ffi_struct_tag()
        type.pointee.elements = elements
        // For other structs libffi computes the same layout from the members. libffi 3.4.4 aligns the address of a
        // large struct on the stack as the struct itself, so such a struct is given the alignment of an address.
        if shape.hasUnion || shape.isPassedByReference {
            type.pointee.size = shape.size
            type.pointee.alignment = UInt16(shape.isPassedByReference ? 8 : shape.layout.alignment)
        }
        return type
    }

    /// Prepares a call interface: the target, unless it is that of a bare function, then the parameters.
    mutating func interface(
        of shape: CallShape, hasTarget: Bool = true
    ) throws(OutOfMemory) -> UnsafeMutablePointer<ffi_cif> {
        let parameters = (hasTarget ? [.pointer] : []) + shape.parameters
        let count = parameters.count
        let types = try allocate(Pointer?.self, count: count)
        for (index, parameter) in parameters.enumerated() {
            types[index] = try type(of: parameter)
        }
        let memory = try allocate(UInt8.self, count: MemoryLayout<ffi_cif>.size)
        let interface = UnsafeMutableRawPointer(memory).bindMemory(to: ffi_cif.self, capacity: 1)
        let status = ffi_prep_cif(
            interface, peal_ffi_default_abi(), UInt32(count), try type(of: shape.result), types)
        // This cannot fail, because all types are libffi's own or structs of these, and the ABI is the default one.
        precondition(status == FFI_OK, "libffi refused a call interface")
        Machine.correct(interface)
        return interface
    }
}
