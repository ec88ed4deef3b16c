/// A member of a struct, as Swift has it.
struct StructureMember: Sendable {
    let name: String
    let type: CType
    let size: Int
    let alignment: Int
    /// Where Swift has it; `nil` for what is no stored property.
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
            let place = (end + member.alignment - 1) / member.alignment * member.alignment
            guard offset == place else {
                return "'\(member.name)' of \(cType) lies at byte \(offset), and in C at byte \(place); "
                    + "name all stored properties, in their order, and give a struct inside that ends with padding "
                    + "a member in its place"
            }
            end = place + member.size
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
