#if canImport(SwiftSyntaxMacros)
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// A wrong use of a macro, with the sentence that the compiler prints.
struct Misuse: DiagnosticMessage {
    let message: String
    let severity: DiagnosticSeverity

    var diagnosticID: MessageID { MessageID(domain: "peal", id: "misuse") }
}

extension MacroExpansionContext {
    /// Reports an error at a node of the source.
    func refuse(_ node: some SyntaxProtocol, _ message: String) {
        diagnose(Diagnostic(node: Syntax(node), message: Misuse(message: message, severity: .error)))
    }

    /// Reports a warning at a node of the source.
    func warn(_ node: some SyntaxProtocol, _ message: String) {
        diagnose(Diagnostic(node: Syntax(node), message: Misuse(message: message, severity: .warning)))
    }
}

extension AttributeListSyntax {
    /// The attribute of a name, with or without its module.
    func attribute(_ name: String) -> AttributeSyntax? {
        lazy.compactMap { $0.as(AttributeSyntax.self) }.first { attribute in
            let written = attribute.attributeName.trimmedDescription
            return written == name || written == "Peal.\(name)"
        }
    }

    func has(_ name: String) -> Bool { attribute(name) != nil }
}
#endif
