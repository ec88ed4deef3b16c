/// The description of a struct of Swift for C: its name, and its members or its declaration.
public struct Structure<Root>: Sendable {
    /// The type, with its declaration.
    public let cType: CType
    /// The members that peal compares with the layout in C; empty where only the size is known.
    let members: [StructureMember]

    /// A struct by its C declaration, as it stands in the header. Swift imports it, so only its size and alignment
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
