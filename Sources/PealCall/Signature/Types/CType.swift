/// A C type as a prototype names it: with its author's spelling, for messages and traces, and with the types that the
/// spelling denotes. Each case with a large associated value is indirect, so a type is one word and a byte.
public enum CType: Sendable {
    case void
    case scalar(Scalar)
    indirect case enumeration(Enumeration)
    indirect case pointer(to: QualifiedType)
    /// A function type, which occurs only as a pointed-to type.
    indirect case function(FunctionType)
    /// An array, which occurs as a member or as a pointed-to type. Without a count it occurs only as a pointed-to type.
    indirect case array(of: QualifiedType, count: Int?)
    /// A struct or a union.
    indirect case structure(Structure)
    /// One of peal's handles: a struct of one integer, which no other type is compatible with.
    case handle(HandleType)
    /// A type name that was never declared. It occurs only as a pointed-to type.
    indirect case opaque(name: String)
    case alias(Alias)
    /// No value has this case. Its word has no spare bits, so Swift stores the case of each value in a byte of its own.
    /// Otherwise it would set bits in the pointers of the other cases, and leak checkers do not follow such pointers.
    case untagged(Never, UInt)

    /// The type with its typedefs followed, qualifiers dropped.
    public var unaliased: CType { QualifiedType(self).unaliased.type }
}

extension CType {
    public var isVoid: Bool {
        if case .void = unaliased { true } else { false }
    }

    public var isPointer: Bool {
        if case .pointer = unaliased { true } else { false }
    }

    public var isHandle: Bool {
        if case .handle = unaliased { true } else { false }
    }

    public var isBool: Bool { scalar == .bool }

    /// An integer type, `char` and enums included, `bool` not.
    public var isInteger: Bool {
        guard let scalar else { return false }
        return scalar.isInteger
    }

    /// An integer or a real floating type.
    public var isReal: Bool {
        guard let scalar else { return false }
        return scalar != .bool && !scalar.isComplex
    }

    /// The arithmetic type of the spelling; an enum gives its underlying type.
    public var scalar: Scalar? {
        switch unaliased {
        case .scalar(let scalar): scalar
        case .enumeration(let enumeration): enumeration.underlying
        default: nil
        }
    }
}

/// The type of a function that a pointer refers to. Parameter names and length marks are no part of it.
public struct FunctionType: Sendable {
    public let result: QualifiedType
    /// Arrays and functions among them are pointers already.
    public let parameters: [QualifiedType]
    public let isVariadic: Bool
}

/// A handle type of peal's own interface, by its name in C.
public enum HandleType: String, Sendable, CaseIterable {
    case center = "peal_center"
    case `protocol` = "peal_protocol"
    case method = "peal_method"
    case observation = "peal_observation"
    case queue = "peal_queue"
    case reference = "peal_reference"
    case owner = "peal_owner"
    case invocation = "peal_invocation"
    case completion = "peal_completion"
    case proxy = "peal_proxy"
    case timer = "peal_timer"
    case property = "peal_property"
    case service = "peal_service"
    case use = "peal_use"
    case module = "peal_module"
    case tap = "peal_tap"
}

/// A typedef name and its type. A class, because the types of a scope share it.
public final class Alias: Sendable {
    public let name: String
    public let target: QualifiedType
    /// Kept so that a chain of typedefs need not be walked again at each use.
    let measure: TypeMeasure

    init(name: String, target: QualifiedType) {
        self.name = name
        self.target = target
        // Each typedef of the chain counts, or typedefs of typedefs could nest without bound.
        let inner = target.type.measure
        measure = TypeMeasure(depth: inner.depth + 1, parts: inner.parts + 1)
    }
}
