internal import CPealSupport
import PealCall

extension Property {
    /// Makes a property with its first value.
    static func make(
        _ description: PropertyDescription, _ type: PropertyType, center: Center, proto: PealProtocol
    ) throws(Failure) -> Property {
        let initial = try PropertyValue(description.initial, of: type)
        var opening = peal_property_opening()
        opening.initial_size = initial.size
        guard allocateBlocks(&opening), let first = firstValue(initial, type) else {
            freeBlocks(opening)
            throw .outOfMemory
        }
        defer { peal_memory_free(first) }
        opening.initial = UnsafeRawPointer(first)
        opening.size = type.isText ? .max : type.size
        opening.traits = traits(description, type)
        let mask = mask(type)
        opening.mask = UnsafePointer(mask)
        if let mask { peal_property_close_gaps(first, mask, type.size) }
        do throws(Failure) {
            guard mask != nil || type.significantBytes == nil else { throw .outOfMemory }
            return try insert(&opening, description, type, center, proto, mask)
        } catch {
            peal_memory_free(mask)
            freeBlocks(opening)
            throw error
        }
    }

    private static func insert(
        _ opening: inout peal_property_opening, _ description: PropertyDescription, _ type: PropertyType,
        _ center: Center, _ proto: PealProtocol, _ mask: UnsafeMutablePointer<UInt8>?
    ) throws(Failure) -> Property {
        try Handles.properties.insert { (id) throws(Failure) in
            guard let element = peal_property_element_of(id) else { throw .outOfMemory }
            opening.id = id
            peal_property_open(element, &opening)
            return Property(
                id: id, description: description, type: type, proto: proto, mask: mask)
        }
    }

    private static func allocateBlocks(_ opening: inout peal_property_opening) -> Bool {
        opening.blocks.0 = peal_property_block_allocate(max(opening.initial_size, 8))
        opening.blocks.1 = peal_property_block_allocate(max(opening.initial_size, 8))
        return opening.blocks.0 != nil && opening.blocks.1 != nil
    }

    private static func freeBlocks(_ opening: peal_property_opening) {
        peal_property_block_free(opening.blocks.0)
        peal_property_block_free(opening.blocks.1)
    }

    private static func firstValue(_ initial: PropertyValue, _ type: PropertyType) -> UnsafeMutableRawPointer? {
        guard let memory = peal_memory_allocate(max(initial.size, 8)) else { return nil }
        if let bytes = initial.bytes { memory.copyMemory(from: bytes, byteCount: initial.size) }
        return memory
    }

    private static func traits(_ description: PropertyDescription, _ type: PropertyType) -> UInt32 {
        UInt32(type.isText ? PEAL_PROPERTY_IS_TEXT : 0)
            | UInt32(type.significantBytes == nil ? 0 : PEAL_PROPERTY_HAS_GAPS)
            | UInt32(description.ignoresEqual ? PEAL_PROPERTY_IGNORES_EQUAL : 0)
    }

    private static func mask(_ type: PropertyType) -> UnsafeMutablePointer<UInt8>? {
        guard let significant = type.significantBytes, let memory = peal_memory_allocate(type.size) else { return nil }
        let mask = memory.bindMemory(to: UInt8.self, capacity: type.size)
        for (index, isSignificant) in significant.enumerated() { mask[index] = isSignificant ? 0xff : 0 }
        return mask
    }
}
