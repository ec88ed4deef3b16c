public import CPeal

/// The information of a center about a method.
public struct MethodInfo: Sendable {
    /// The method in the C interface.
    public let handle: peal_method
    /// The name: `on_message`.
    public let name: String
    /// The declaration as C, with its requirement and options: `required bool keep(const char *line), first_true`.
    public let declaration: String
    /// The rule that makes one result of the observers' results.
    public let policy: Policy
    let hasResult: Bool

    /// Reads the information.
    ///
    /// - Parameter handle: The method in the C interface: for example that of a ``BoundMethod``.
    /// - Throws: ``Status/handle`` when the method has ended.
    ///
    /// Any thread. The C interface's `peal_method_name`, `peal_method_declaration` and
    /// `peal_method_result_layout`.
    public init(_ handle: peal_method) throws(PealError) {
        self.handle = handle
        name = try CStrings.copied { Status(peal_method_name(handle, $0, $1, $2)) }
        declaration = try CStrings.copied { Status(peal_method_declaration(handle, $0, $1, $2)) }
        var size = 0
        var alignment = 0
        try PealError.check(peal_method_result_layout(handle, &size, &alignment))
        hasResult = size > 0
        policy = CText.policy(of: declaration, hasResult: hasResult)
    }

    /// True if an observer without it is refused.
    var isRequired: Bool { declaration.hasPrefix("required ") }
}
