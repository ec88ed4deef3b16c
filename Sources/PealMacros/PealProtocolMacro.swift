#if canImport(SwiftSyntaxMacros)
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@PealProtocol`: makes the peal protocol of a Swift protocol, and the type that sends and observes it.
public struct PealProtocolMacro: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let syntax = declaration.as(ProtocolDeclSyntax.self) else {
            context.refuse(node, Self.notAProtocol(declaration))
            return []
        }
        guard let declared = ObservedProtocol(syntax, node, context) else { return [] }
        let expansion = Expansion(declared)
        return [DeclSyntax("\(raw: expansion.methods)"), DeclSyntax("\(raw: expansion.center)")]
    }

    private static func notAProtocol(_ declaration: some DeclSyntaxProtocol) -> String {
        let kind =
            if declaration.is(ClassDeclSyntax.self) { "a class" } else if declaration.is(StructDeclSyntax.self) {
                "a struct"
            } else if declaration.is(EnumDeclSyntax.self) { "an enum" } else if declaration.is(ActorDeclSyntax.self) {
                "an actor"
            } else { "no protocol" }
        let name = declaration.asProtocol((any NamedDeclSyntax).self)?.name.text
        let subject = name.map { "'\($0)' is \(kind)" } ?? "this is \(kind)"
        return "\(subject): @PealProtocol belongs to a Swift protocol, whose methods are broadcast"
    }
}

/// `@PealMethod`: options of one method. The macro of the protocol reads them.
public struct PealMethodMacro: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let isInside = context.lexicalContext.first?.as(ProtocolDeclSyntax.self)?.attributes.has("PealProtocol")
        if isInside != true {
            context.refuse(node, "@PealMethod belongs to a method of a protocol that has @PealProtocol")
        }
        return []
    }
}
#endif
