#if canImport(SwiftSyntaxMacros)
import SwiftSyntax
import SwiftSyntaxMacros

/// A protocol that has `@PealProtocol`, read and checked.
struct ObservedProtocol {
    /// The actor on which its requirements run.
    enum Isolation { case none, mainActor, actor }

    let name: String
    /// The name in the center, as an expression; `nil` for the type's own.
    let sharedName: String?
    /// The access keyword with a space after it, or empty.
    let access: String
    let isolation: Isolation
    let methods: [MethodRequirement]

    /// Returns `nil` if the protocol was refused.
    init?(_ syntax: ProtocolDeclSyntax, _ node: AttributeSyntax, _ context: some MacroExpansionContext) {
        name = syntax.name.text
        sharedName = node.arguments?.as(LabeledExprListSyntax.self)?.first?.expression.trimmedDescription
        let modifiers = syntax.modifiers.map(\.name.text)
        access =
            ["public", "package", "fileprivate", "private"].first { modifiers.contains($0) }.map { $0 + " " } ?? ""
        let inherited = syntax.inheritanceClause?.inheritedTypes.map(\.type) ?? []
        if syntax.attributes.has("MainActor") {
            isolation = .mainActor
        } else if inherited.contains(where: { $0.trimmedDescription == "Actor" }) {
            isolation = .actor
        } else {
            isolation = .none
        }
        for type in inherited where !Self.markers.contains(type.trimmedDescription) {
            context.warn(
                type,
                "'\(name)' has its own methods only: those of '\(type.trimmedDescription)' are not broadcast by it")
        }
        let isIsolated = isolation != .none
        let requirements = syntax.memberBlock.members.map {
            MethodRequirement($0.decl, of: syntax.name.text, isIsolated: isIsolated, context)
        }
        methods = requirements.compactMap(\.self)
        var isValid = methods.count == requirements.count
        if requirements.isEmpty {
            context.refuse(
                syntax.name, "'\(name)' has no methods: a peal protocol consists of those that are broadcast")
            isValid = false
        }
        for (index, method) in methods.enumerated() {
            guard let other = methods[..<index].first(where: { $0.name == method.name || $0.cName == method.cName })
            else {
                continue
            }
            isValid = false
            context.refuse(method.node, Self.clash(method, other))
        }
        guard isValid else { return nil }
    }

    private static func clash(_ method: MethodRequirement, _ other: MethodRequirement) -> String {
        method.name == other.name
            ? "'\(method.name)' is declared twice: in C a method's parameters are no part of its name, so give one another name"
            : "'\(method.name)' and '\(other.name)' have the same name in C, '\(method.cName)': "
                + "choose one for this by @PealMethod(\"…\")"
    }

    /// Protocols that have no methods of their own to broadcast.
    private static let markers: Set = [
        "AnyObject", "Actor", "Sendable", "SendableMetatype", "AnyObject & Sendable", "Sendable & AnyObject",
        "Identifiable",
        "Hashable", "Equatable", "CustomStringConvertible",
    ]
}
#endif
