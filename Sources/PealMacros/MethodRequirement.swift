#if canImport(SwiftSyntaxMacros)
import SwiftSyntax
import SwiftSyntaxMacros

/// A method of a protocol that has `@PealProtocol`, read and checked.
struct MethodRequirement {
    struct Parameter {
        /// The names as declared: `in room`.
        let names: String
        /// `nil` for `_`.
        let label: String?
        /// The name inside the function.
        let name: String
        let type: String
    }

    /// The node of the method's diagnostics.
    let node: TokenSyntax
    let name: String
    /// The name in C, without quotes.
    let cName: String
    let parameters: [Parameter]
    /// `nil` for none.
    let result: String?
    let isAsync: Bool
    /// True if the result is the status of a thrown error.
    let isThrowing: Bool
    /// `.every`; `nil` for none.
    let policy: String?
    /// The arguments of the declaration after its name, as in `parameters: "room", policy: .every`.
    let options: String

    /// Returns `nil` if the method was refused.
    init?(
        _ member: DeclSyntax, of protocolName: String, isIsolated: Bool, _ context: some MacroExpansionContext
    ) {
        guard let function = member.as(FunctionDeclSyntax.self) else {
            context.refuse(member, Self.notAMethod(member, protocolName))
            return nil
        }
        guard let found = MethodChecks(function, context).parameters else { return nil }
        parameters = found
        node = function.name
        name = function.name.text
        isAsync = function.signature.effectSpecifiers?.asyncSpecifier != nil
        isThrowing = function.signature.effectSpecifiers?.throwsClause != nil
        let returned = function.signature.returnClause?.type.trimmedDescription
        let hasValue = returned != nil && returned != "Void" && returned != "()"
        result = isThrowing ? "Peal.Status" : hasValue ? returned : nil

        let arguments = function.attributes.attribute("PealMethod")?.arguments?.as(LabeledExprListSyntax.self) ?? []
        var givenName: String?
        var given: [String: String] = [:]
        var label = ""
        for argument in arguments {
            label = argument.label?.text ?? label
            let text = argument.expression.trimmedDescription
            if label.isEmpty {
                givenName = argument.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
                if givenName == nil { context.refuse(argument, "the name in C is a string of its own: \"on_message\"") }
            } else {
                // Further names of parameters have no label.
                given[label] = given[label].map { "\($0), \(text)" } ?? text
            }
        }
        cName = givenName ?? CNames.name(of: name)
        if isThrowing, given["policy"] == nil { given["policy"] = ".firstNonzero" }
        policy = given["policy"]
        given["parameters"] =
            given["parameters"]
            ?? (found.isEmpty ? nil : found.map { "\"\(CNames.name(of: $0.name))\"" }.joined(separator: ", "))
        // In the order of the initializer's parameters.
        options = ["parameters", "policy", "isRequired", "since", "recursion", "isBorrowed", "sticky"].compactMap {
            label in
            given[label].map { ", \(label): \($0)" }
        }.joined()
        guard let problem = problem(isIsolated: isIsolated, isSticky: given["sticky"] != nil) else { return }
        context.refuse(function.name, problem)
        return nil
    }

    private func problem(isIsolated: Bool, isSticky: Bool) -> String? {
        if isSticky, let result {
            return
                "'\(name)' returns '\(result)': a late observer's result has no broadcaster, so leave sticky or the result out"
        }
        if isAsync, !isIsolated {
            return
                "'\(name)' is async: a broadcast does not wait for its observers; leave async out, or isolate the protocol "
                + "by @MainActor or Actor, where each call is a task"
        }
        if isAsync, isThrowing {
            return
                "'\(name)' is async and throws: each call is a task, whose error no broadcaster gets; use a parameter of the "
                + "type Completion"
        }
        if isAsync, let result {
            return
                "'\(name)' is async and returns '\(result)': each call is a task, whose result no broadcaster gets; use a "
                + "parameter of the type Completion"
        }
        if policy != nil, result == nil {
            return "'\(name)' returns nothing, so it has no results for a policy to combine"
        }
        return nil
    }

    private static func notAMethod(_ member: DeclSyntax, _ protocolName: String) -> String {
        let remedy = "a peal protocol has methods only"
        if let variable = member.as(VariableDeclSyntax.self) {
            let name = variable.bindings.first?.pattern.trimmedDescription ?? "it"
            return "'\(name)' is a property: \(remedy); declare a method that returns it, or share it by @Shared"
        }
        if let type = member.as(AssociatedTypeDeclSyntax.self) {
            return "'\(type.name.text)' is an associated type: \(remedy), whose types are the same for all observers"
        }
        if member.is(SubscriptDeclSyntax.self) { return "'\(protocolName)' has a subscript: \(remedy)" }
        if member.is(InitializerDeclSyntax.self) { return "'\(protocolName)' has an initializer: \(remedy)" }
        return "'\(protocolName)' has a declaration that is no method: \(remedy)"
    }
}
#endif
