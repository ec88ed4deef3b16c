#if !arch(arm64)
internal import CFFI

/// The System V ABI of x86-64, also for machines that have no frames.
enum Machine {
    /// Plain `char` is signed on x86-64 and unsigned on RISC-V.
    static var charIsUnsigned: Bool {
        #if arch(x86_64) || arch(i386)
        false
        #else
        true
        #endif
    }

    static var wideCharacter: Scalar { .int }

    /// Does nothing. On AArch64, the function of this name corrects an error of libffi.
    static func correct(_ interface: UnsafeMutablePointer<ffi_cif>) {}
}

/// The classes of values with overlapping members: libffi has no unions, so a union is described as a struct that is
/// passed in the same registers.
extension ValueShape {
    /// The class of an eight-byte word of a value, by section 3.2.3 of the System V ABI.
    private enum WordClass {
        case padding, integer, floating, x87, x87Upper, memory

        func merged(with other: WordClass) -> WordClass {
            if self == other || other == .padding { return self }
            if self == .padding { return other }
            if self == .memory || other == .memory { return .memory }
            if self == .integer || other == .integer { return .integer }
            return self == .floating && other == .floating ? .floating : .memory
        }
    }

    /// The classes of the words of a value of up to 16 bytes. A larger value, and a value that the ABI passes in
    /// memory, has the single class `memory`. So does a value with a member that is passed in memory by itself.
    private var wordClasses: [WordClass] {
        guard size <= 16, !members.contains(where: { $0.wordClasses == [.memory] }) else { return [.memory] }
        let classes = wordClasses(from: 0, count: (size + 7) / 8)
        let isTorn = classes.last == .x87Upper && classes.first != .x87
        return classes.contains(.memory) || isTorn ? [.memory] : classes
    }

    /// The classes of a part that begins at an offset. The classes within each member are merged first, and then those
    /// of the members. So a long double and an integer that overlap are an integer, also where a float overlaps both.
    private func wordClasses(from start: Int, count: Int) -> [WordClass] {
        var classes = [WordClass](repeating: .padding, count: count)
        guard case .members(let members, let isUnion) = self else {
            forEachScalar(from: start) { scalar, offset in
                let word = offset / 8
                switch scalar {
                case .longDouble:
                    classes[word] = .x87
                    classes[word + 1] = .x87Upper
                case .float, .double: classes[word] = .floating
                default: classes[word] = .integer
                }
            }
            return classes
        }
        var offset = start
        for member in members {
            if !isUnion { offset = offset.roundedUp(to: member.layout.alignment) }
            classes = zip(classes, member.wordClasses(from: offset, count: count)).map { $0.merged(with: $1) }
            if !isUnion { offset += member.layout.size }
        }
        return classes
    }

    private var members: [ValueShape] {
        switch self {
        case .members(let members, _): members
        default: []
        }
    }

    /// True if the value is returned in memory of the caller, whose address takes a register of the arguments.
    var isReturnedInMemory: Bool { isStructure && (size > 16 || hasUnion && wordClasses == [.memory]) }

    /// The members of a struct without unions that, with this value's size and alignment, is passed in the same
    /// registers. This holds for arguments. `asFFIReturnsIt` describes results.
    var membersWithoutUnions: [ValueShape] {
        let unit = min(layout.alignment, 8)
        let classes = wordClasses
        guard size <= 16 else { return Array(repeating: .integer(ofSize: unit), count: size / unit) }
        // An argument in memory: a long double is one of the same size.
        if classes == [.memory] || classes.first == .x87 { return [.longDouble] }
        return classes.enumerated().flatMap { word, kind -> [ValueShape] in
            let length = min(8, size - 8 * word)
            let member: ValueShape = kind == .floating ? (unit == 8 ? .double : .float) : .integer(ofSize: unit)
            return Array(repeating: member, count: length / member.size)
        }
    }

    /// The shape of a result for libffi. libffi 3.4.4 reads a struct of one long double from the integer registers, but
    /// it is returned as a long double is.
    ///
    /// A union of a long double and another type is returned in memory, unlike any struct of its size. libffi is given
    /// a larger struct, and the callee writes only the size of the union.
    var asFFIReturnsIt: ValueShape {
        if onlyScalar == .longDouble { return .longDouble }
        return isReturnedInMemory && size <= 16 ? .structure([.uint64, .uint64, .uint64]) : self
    }

    /// Returns false if libffi passes an argument in wrong registers.
    var isPassedRightByFFI: Bool { true }

    /// True if an argument is the address of a copy that the caller makes.
    public var isPassedByReference: Bool { false }
}
#endif
