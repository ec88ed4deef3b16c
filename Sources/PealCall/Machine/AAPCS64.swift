#if arch(arm64)
internal import CFFI

/// The procedure call standard of AArch64 (AAPCS64).
enum Machine {
    static var charIsUnsigned: Bool { true }
    static var wideCharacter: Scalar { .unsignedInt }

    /// libffi 3.4.4 reserves no stack for the addresses of large structs. If there are more addresses than registers,
    /// libffi overwrites the structs with the addresses.
    static func correct(_ interface: UnsafeMutablePointer<ffi_cif>) {
        interface.pointee.bytes += 16 * interface.pointee.nargs
    }
}

/// The classes of values with overlapping members: libffi has no unions, so a union is described as a struct that is
/// passed in the same registers.
extension ValueShape {
    /// The members of a homogeneous floating aggregate (section 5.9.5): up to four floating numbers of one type, each
    /// of which takes a floating register of its own.
    private var homogeneousMembers: [ValueShape]? {
        var element: ValueShape?
        var isHomogeneous = true
        forEachScalar { scalar, _ in
            switch scalar {
            case .float, .double, .longDouble: isHomogeneous = isHomogeneous && (element == nil || element == scalar)
            default: isHomogeneous = false
            }
            element = scalar
        }
        guard isHomogeneous, let element, size <= 4 * element.size else { return nil }
        return Array(repeating: element, count: size / element.size)
    }

    private var isLarge: Bool { isStructure && size > 16 && homogeneousMembers == nil }

    /// True if an argument is the address of a copy that the caller makes. The callee may change that copy.
    public var isPassedByReference: Bool { isLarge }

    /// Returns false if libffi passes an argument in wrong registers. A value of 16 bytes that is aligned to 16 and no
    /// homogeneous aggregate begins in a register of even number (section 6.8.2). libffi 3.4.4 does not do that.
    var isPassedRightByFFI: Bool { !isStructure || size != 16 || layout.alignment != 16 || homogeneousMembers != nil }

    /// True if the value is returned in memory of the caller.
    var isReturnedInMemory: Bool { isLarge }

    /// The members of a struct without unions that, with this value's size and alignment, is passed in the same
    /// registers.
    var membersWithoutUnions: [ValueShape] {
        let unit = min(layout.alignment, 8)
        return homogeneousMembers ?? Array(repeating: .integer(ofSize: unit), count: size / unit)
    }

    var asFFIReturnsIt: ValueShape { self }
}
#endif
