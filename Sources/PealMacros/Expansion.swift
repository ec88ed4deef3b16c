#if canImport(SwiftSyntaxMacros)
/// The declarations that `@PealProtocol` makes.
struct Expansion {
    private let declared: ObservedProtocol
    private let name: String
    private let access: String
    /// The access of members. A member of a private type needs no keyword.
    private let memberAccess: String
    private let isPublic: Bool

    init(_ declared: ObservedProtocol) {
        self.declared = declared
        name = declared.name
        access = declared.access
        isPublic = access == "public "
        memberAccess = isPublic || access == "package " ? access : ""
    }

    /// The enumeration with the methods' declarations.
    var methods: String {
        let shared = declared.sharedName ?? "Peal.ProtocolName.of((any \(name)).self)"
        let declarations = declared.methods.map { method in
            """
                /// The declaration of ``\(name)/\(method.name)``.
                \(memberAccess)static let \(method.name) = Method<\(types(of: method))>("\(method.cName)"\(method.options))
            """
        }
        return """
            /// The methods of ``\(name)``, as peal declares them.
            \(access)enum \(name)Methods: Peal.PealProtocol {
                \(memberAccess)static let name: String = \(shared)
            \(declarations.joined(separator: "\n"))
                \(memberAccess)static let methods: [any Peal.MethodDeclaration] = [\(
                    declared.methods.map(\.name).joined(separator: ", "))]
            }
            """
    }

    /// The structure that sends and observes.
    var center: String {
        let fields = declared.methods.map {
            "    \(isPublic ? "@usableFromInline let" : "private let") _\($0.bare): Peal.BoundMethod<\(types(of: $0))>"
        }
        let found = declared.methods.map { "        _\($0.bare) = try center.method(\(name)Methods.\($0.name))" }
        return """
            /// A center, seen through ``\(name)``: sends its methods, and registers objects that conform to it.
            \(access)struct \(name)Center: Sendable {
                /// The center of the methods.
                \(memberAccess)let center: Peal.Center
            \(fields.joined(separator: "\n"))

                /// Finds the methods in a center. The first use in a center defines the protocol there.
                \(memberAccess)init(_ center: Peal.Center = .default) throws(Peal.PealError) {
                    self.center = center
            \(found.joined(separator: "\n"))
                }

            \(declared.methods.map(sender).joined(separator: "\n\n"))

            \(observing)
            }
            """
    }

    private func types(of method: MethodRequirement) -> String {
        // Without a policy the broadcaster gets each result.
        let result = method.result.map { method.policy == nil ? "Peal.Each<\($0)>" : $0 } ?? "Void"
        return ([result] + method.parameters.map(\.type)).joined(separator: ", ")
    }

    private func sender(_ method: MethodRequirement) -> String {
        let arguments = method.parameters.map(\.name)
        var parameters = method.parameters.map { "\($0.names): \($0.type)" }
        var effects = "throws(Peal.PealError)"
        let result: String
        let attribute: String
        let call: String
        if let returned = method.result, declared.isolation != .none {
            // The observers answer on their actor.
            parameters.append("timeout: Duration? = nil")
            effects = "async throws"
            result = "Peal.Gathered<\(returned)>"
            attribute = ""
            call = "await self._\(method.bare).gather(\((arguments + ["timeout: timeout"]).joined(separator: ", ")))"
        } else if method.isThrowing {
            effects = "throws"
            result = "Peal.Delivery"
            attribute = "@discardableResult "
            call = "self._\(method.bare).broadcast(\(arguments.joined(separator: ", ")))"
        } else if let returned = method.result {
            let collects = method.policy == nil
            result = collects ? "[\(returned)]" : returned
            attribute = ""
            call = "self._\(method.bare).\(collects ? "collect" : "ask")(\(arguments.joined(separator: ", ")))"
        } else {
            result = "Peal.Delivery"
            attribute = "@discardableResult "
            call = "self._\(method.bare).broadcast(\(arguments.joined(separator: ", ")))"
        }
        let inlining = isPublic && declared.isolation == .none ? "@inlinable " : ""
        return """
                /// Broadcasts ``\(name)/\(method.name)``.
                \(attribute)\(inlining)\(memberAccess)func \(method.name)(\(parameters.joined(separator: ", "))) \
            \(effects) -> \(result) {
                    try \(call)
                }
            """
    }

    private var observing: String {
        switch declared.isolation {
        case .none:
            """
            \(observe(" & Sendable", "for: object", "", closure: "object"))

            \(observe("", "for: object, on: actor", ", on actor: MainActor", closure: "object", isOnMain: true))
            """
        case .mainActor:
            observe("", "for: object, on: MainActor.shared", "", closure: "object")
        case .actor:
            observe("", "forActor: object", "", closure: "(object: isolated Object", isToken: true)
        }
    }

    /// A function that registers an object.
    private func observe(
        _ constraint: String, _ target: String, _ parameter: String, closure: String, isOnMain: Bool = false,
        isToken: Bool = false
    ) -> String {
        let isMain = isOnMain || declared.isolation == .mainActor
        let bodies = declared.methods.map { method in
            let numbers = method.parameters.indices.map { "argument\($0 + 1)" }
            let arguments = zip(method.parameters, numbers).map { parameter, number in
                parameter.label.map { "\($0.filter { $0 != "`" }): \(number)" } ?? number
            }
            let names = ([closure] + numbers).joined(separator: ", ") + (closure.hasPrefix("(") ? ")" : "")
            return "            $0.on(\(name)Methods.\(method.name)) { \(names) in "
                + "\(method.isThrowing ? "try " : "")\(method.isAsync ? "await " : "")object.\(method.name)(\(arguments.joined(separator: ", "))) }"
        }
        return """
                /// Observes all methods by an object, which is a weak target\(
                    isMain ? " and is called on the main actor" : isToken ? " and runs the calls" : "").
                @discardableResult \(isMain ? "@MainActor " : "")\(memberAccess)func observe<Object: \(name) & AnyObject\(
                    constraint)>(
                    _ object: Object\(parameter), _ options: Peal.ObserverOption...
                ) throws(Peal.PealError) -> Peal.ObserverToken {
                    try center.observe(\(name)Methods.self, \(target), options: options) {
            \(bodies.joined(separator: "\n"))
                    }
                }
            """
    }
}

extension MethodRequirement {
    /// The name without the signs that make a keyword a name.
    var bare: String { name.filter { $0 != "`" } }
}
#endif
