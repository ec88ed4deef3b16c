/// A method of a protocol, whatever its types: what a protocol's list consists of.
public protocol MethodDeclaration: Sendable {
    /// What is declared.
    var signature: MethodSignature { get }
}
