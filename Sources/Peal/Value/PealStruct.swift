/// A struct that C passes by value.
///
/// A struct that C declares and Swift imports conforms by one line, which repeats the declaration:
///
///     extension point: @retroactive PealStruct {
///         public static let structure = Structure<point>("struct point { double x, y; };")
///     }
///
/// A struct of Swift names its members, and peal writes the declaration. The positions of the members are compared
/// with those in C:
///
///     struct Point: PealStruct {
///         var x, y: Double
///         static let structure = Structure<Point>("point", .member("x", \.x), .member("y", \.y))
///     }
public protocol PealStruct: PealPlainValue {
    /// The description of the struct for C.
    static var structure: Structure<Self> { get }
}

extension PealStruct {
    /// `struct`, and the name.
    public static var cType: CType { structure.cType }
}

/// The description of a struct of Swift for C: its name, and its members or its declaration.
public struct Structure<Root>: Sendable {
    /// The type, with its declaration.
    public let cType: CType
    /// The members that peal compares with the layout in C; empty where only the size is known.
    let members: [StructureMember]

    /// A struct by its C declaration, as the header declares it. Swift imports it, so only its size and alignment
    /// are checked.
    ///
    /// - Parameters:
    ///   - declaration: `struct point { double x, y; };`, or a `typedef` of one. Declarations that it needs may
    ///     precede it.
    ///   - type: Its name in prototypes; `nil` for the first type that is declared.
    public init(_ declaration: String, type: String? = nil) {
        cType = CType(type ?? Declarations.typeName(of: declaration), declaration: declaration)
        members = []
    }

    /// A struct that other code declares in the center, for example the C side of a protocol.
    ///
    /// - Parameter type: Its name in prototypes: `struct point`, or a typedef's name.
    public init(declaredElsewhere type: String) {
        cType = CType(type)
        members = []
    }

    /// A struct by its members, in their order.
    ///
    /// - Parameters:
    ///   - name: The name after `struct`.
    ///   - first: The first stored property.
    ///   - others: All others.
    public init(_ name: String, _ first: Member, _ others: Member...) {
        let members = [first] + others
        let fields = members.map { $0.stored.field }.joined(separator: " ")
        let needed = members.compactMap(\.stored.type.declaration)
        let declaration = (needed + ["struct \(name) { \(fields) };"]).joined(separator: "\n")
        cType = CType("struct \(name)", declaration: declaration)
        self.members = members.map(\.stored)
    }

    /// A member of a struct.
    public struct Member {
        let stored: StructureMember

        /// A stored property, and its name in C.
        public static func member<Value: PealPlainValue>(_ name: String, _ property: KeyPath<Root, Value>) -> Member {
            Member(
                stored: StructureMember(
                    name: name, type: Value.cType, size: MemoryLayout<Value>.stride,
                    alignment: MemoryLayout<Value>.alignment, offset: MemoryLayout<Root>.offset(of: property)))
        }

        /// A stored property that is a pointer.
        public static func member<Pointer: PealPointer>(_ name: String, _ property: KeyPath<Root, Pointer?>) -> Member {
            Member(
                stored: StructureMember(
                    name: name, type: Pointer.cType, size: MemoryLayout<Pointer?>.stride,
                    alignment: MemoryLayout<Pointer?>.alignment, offset: MemoryLayout<Root>.offset(of: property)))
        }

        /// A stored property that is `true` or `false`.
        public static func member(_ name: String, _ property: KeyPath<Root, Bool>) -> Member {
            Member(
                stored: StructureMember(
                    name: name, type: Bool.cType, size: 1, alignment: 1, offset: MemoryLayout<Root>.offset(of: property)
                ))
        }
    }
}

/// A member of a struct, as Swift has it.
struct StructureMember: Sendable {
    let name: String
    let type: CType
    let size: Int
    let alignment: Int
    /// The offset in Swift; `nil` where the property is not stored.
    let offset: Int?

    /// The member in a C declaration.
    var field: String { type.text.hasSuffix("*") ? "\(type.text)\(name);" : "\(type.text) \(name);" }
}

extension Structure {
    /// The mistake in the members, as a sentence; `nil` when C and Swift have them at the same offsets.
    func misplacement() -> String? {
        var end = 0
        var alignment = 1
        for member in members {
            guard let offset = member.offset else {
                return "'\(member.name)' of \(cType) is no stored property; name the stored ones"
            }
            let expected = (end + member.alignment - 1) / member.alignment * member.alignment
            guard offset == expected else {
                return "'\(member.name)' of \(cType) lies at byte \(offset), and in C at byte \(expected); "
                    + "name all stored properties, in their order, and give a struct inside that ends with padding "
                    + "a member in its place"
            }
            end = expected + member.size
            alignment = max(alignment, member.alignment)
        }
        let size = (end + alignment - 1) / alignment * alignment
        guard members.isEmpty || size == MemoryLayout<Root>.stride else {
            return
                "\(cType) has \(MemoryLayout<Root>.stride) bytes in Swift and \(size) in C; name all stored properties"
        }
        return nil
    }
}
