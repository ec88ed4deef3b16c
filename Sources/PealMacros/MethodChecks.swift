#if canImport(SwiftSyntaxMacros)
import SwiftSyntax
import SwiftSyntaxMacros

/// The checks of a method's declaration that need no types.
struct MethodChecks {
    /// `nil` if the method was refused.
    private(set) var parameters: [MethodRequirement.Parameter]?

    init(_ function: FunctionDeclSyntax, _ context: some MacroExpansionContext) {
        let name = function.name.text
        var isValid = true
        func refuse(_ node: some SyntaxProtocol, _ message: String) {
            context.refuse(node, message)
            isValid = false
        }
        if let generics = function.genericParameterClause {
            let types = generics.parameters.map { "'\($0.name.text)'" }.joined(separator: ", ")
            refuse(generics, "'\(name)' is generic over \(types): a method has one type for each parameter in C")
        }
        for modifier in function.modifiers
        where ["static", "class", "mutating", "consuming"].contains(modifier.name.text) {
            refuse(modifier, "'\(name)' is \(modifier.name.text): a broadcast calls methods of objects")
        }
        if let clause = function.signature.effectSpecifiers?.throwsClause,
            let type = function.signature.returnClause?.type.trimmedDescription, type != "Void", type != "()"
        {
            refuse(
                clause,
                "'\(name)' throws and returns '\(type)': C gets one result, the status of the error or the value; "
                    + "leave one out")
        }
        if Self.reserved.contains(name) {
            refuse(function.name, "'\(name)' is a name that the declaration of each protocol uses; choose another")
        } else if case .binaryOperator = function.name.tokenKind {
            refuse(function.name, "'\(name)' is an operator, which has no name in C")
        }
        if let type = function.signature.returnClause?.type, let problem = Self.problem(type) {
            refuse(type, "the result of '\(name)' \(problem)")
        }
        var found: [MethodRequirement.Parameter] = []
        for (index, parameter) in function.signature.parameterClause.parameters.enumerated() {
            let first = parameter.firstName.text
            let second = parameter.secondName?.text ?? first
            let isNamed = second != "_" || first != "_"
            let inner = second != "_" ? second : isNamed ? first : "argument\(index + 1)"
            if parameter.ellipsis != nil {
                refuse(
                    parameter.type,
                    "'\(inner)' has any number of values of '\(parameter.type.trimmedDescription)': "
                        + "C gets one value for each parameter")
            } else if let problem = Self.problem(parameter.type) {
                refuse(parameter.type, "'\(inner)' \(problem)")
            }
            found.append(
                MethodRequirement.Parameter(
                    names: first == inner ? first : "\(first) \(inner)", label: first == "_" ? nil : first, name: inner,
                    type: parameter.type.trimmedDescription))
        }
        parameters = isValid ? found : nil
    }

    /// The reason why values of a type cannot be passed, if it shows in the text of the type. The compiler checks the
    /// other types by their conformance to `PealParameter`.
    private static func problem(_ type: TypeSyntax) -> String? {
        let text = type.trimmedDescription
        if let attributed = type.as(AttributedTypeSyntax.self) {
            let specifiers = attributed.specifiers.map { $0.trimmedDescription }
            if specifiers.contains("inout") {
                return "is inout, '\(text)': observers get copies; return the value, with the policy .chain"
            }
            return problem(attributed.baseType)
        }
        if type.is(FunctionTypeSyntax.self) {
            return "is a function, '\(text)': for a later answer use Completion"
        }
        if let tuple = type.as(TupleTypeSyntax.self) {
            if tuple.elements.count == 1, let only = tuple.elements.first { return problem(only.type) }
            if tuple.elements.isEmpty { return nil }
            return "is a tuple, '\(text)': use one parameter for each element, or a struct that is a PealStruct"
        }
        if type.is(SomeOrAnyTypeSyntax.self) || type.is(CompositionTypeSyntax.self) {
            return "is '\(text)', which is no single type: C needs a known one, such as Int32 or String"
        }
        if type.is(DictionaryTypeSyntax.self) || text.hasPrefix("Dictionary<") || text.hasPrefix("Set<") {
            return "is '\(text)', which C cannot read: send its values one by one, or a pointer to them with a count"
        }
        if type.is(MetatypeTypeSyntax.self) { return "is the type '\(text)' itself, which C cannot read" }
        if ["Any", "AnyObject", "Self"].contains(text) {
            return "is '\(text)', which is no single type: C needs a known one, such as Int32 or String"
        }
        return nil
    }

    /// Names of the declarations that the macro makes.
    private static let reserved: Set = ["name", "methods", "adopts", "center", "observe", "init", "Method"]
}
#endif
