import PealCall

/// The type of a property's values, checked when the property is defined.
struct PropertyType: Sendable {
    let type: CType
    let ownership: Ownership
    /// The size of a value in bytes; for a text, that of the pointer to it.
    let size: Int
    /// True for `const char *`, whose characters are the value.
    var isText: Bool { ownership == .string }
    /// True for each byte that is not padding; nil if the type has no padding.
    let significantBytes: [Bool]?

    init(_ text: String, of property: String, in types: TypeScope) throws(Failure) {
        do throws(SyntaxError) {
            type = try types.type(text)
        } catch {
            throw Failure(error, in: "the type of property \(property)")
        }
        func refusal(_ reason: String) -> Failure { Failure(.type, "property \(property): \(reason)") }
        guard let layout = type.layout, layout.size > 0 else {
            throw refusal("\(type) has no values; give the type of a value")
        }
        if case .array = type.unaliased {
            throw refusal("\(type) is an array, which C does not pass by value; put it into a struct")
        }
        // Observers receive the old and the new value as parameters.
        if let reason = type.refusalAsParameter { throw refusal(reason) }
        guard PropertyRecord.hooks != nil else { throw .outOfMemory }
        ownership = Self.ownership(of: type)
        if case .pointer(let pointee) = type.unaliased, types.hooks(of: pointee.type) != nil {
            throw refusal(
                "objects of \(pointee.type) are counted, and a reader of the value could not retain them; use a peal_reference as the value"
            )
        }
        size = layout.size
        let bytes = type.shape.significantBytes
        significantBytes = bytes.contains(false) ? bytes : nil
    }

    private static func ownership(of type: CType) -> Ownership {
        guard case .pointer(let pointee) = type.unaliased else { return .value }
        if case .function = pointee.unaliased.type { return .function }
        return pointee.isStringElement ? .string : .bare
    }

    /// The method of a kind, which observers may implement.
    func declaration(of kind: NotificationKind) -> MethodDeclaration {
        MethodDeclaration(
            .optional, Signature(name: kind.method, result: .void, parameters: parameters(of: kind)))
    }

    private func parameters(of kind: NotificationKind) -> [Parameter] {
        switch kind {
        case .changed: []
        case .values: ["old_value", "new_value"].map { Parameter(name: $0, type: type, ownership: ownership) }
        case .prior, .record:
            PropertyRecord.hooks.map { [Parameter(name: "change", type: Self.record, ownership: .managed(by: $0))] }
                ?? []
        }
    }

    private static var record: CType {
        .pointer(to: QualifiedType(.opaque(name: "struct peal_change"), .const))
    }
}
