public import CPeal

/// What a center knows of a method.
public struct MethodInfo: Sendable {
    /// The method in the C interface.
    public let handle: peal_method
    /// The name: `on_message`.
    public let name: String
    /// The declaration as C, with its requirement and options: `required bool keep(const char *line), first_true`.
    public let declaration: String
    /// What becomes of the results.
    public let policy: Policy

    /// Asks the center what it knows.
    ///
    /// - Parameter handle: The method in the C interface: that of a ``BoundMethod``, say.
    /// - Throws: ``Status/handle`` when the method is gone.
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
        policy = CText.policy(of: declaration, hasResult: size > 0)
    }
}
