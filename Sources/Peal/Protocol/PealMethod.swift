/// A method: its name, and the types of its result and its parameters.
///
/// Write it as `Method<Void, String, Int32>` inside its ``PealProtocol``. It is a declaration, which belongs to no
/// center; any number of centers can define it.
public struct PealMethod<Owner: PealProtocol, Result, each Parameter: PealValue>: MethodDeclaration {
    /// The declaration.
    public let signature: MethodSignature

    /// Declares a method without a result.
    ///
    /// - Parameters:
    ///   - name: The name in C.
    ///   - parameters: The parameters' names, for messages and for readers; or their whole C declarations, if
    ///     the Swift type is not enough: `"const float *__counted_by(n) samples", "size_t n"`.
    ///   - isRequired: True if an observer without it is refused.
    ///   - since: The first version of the protocol that has it.
    ///   - recursion: The effect of a broadcast inside a callback of the same method.
    ///   - isBorrowed: The broadcasters promise that bare pointers outlive a captured call.
    public init(
        _ name: String, parameters: String..., isRequired: Bool = false, since: UInt32 = 1,
        recursion: Recursion = .recursive, isBorrowed: Bool = false
    ) where Result == Void {
        var types = MethodTypes(result: nil)
        _ = (repeat types.append((each Parameter).self))
        signature = MethodSignature(
            Owner.self, name, types, parameters: parameters, isRequired: isRequired, since: since, recursion: recursion,
            isBorrowed: isBorrowed, policy: nil)
    }

    /// Declares a method with a result.
    ///
    /// - Parameters:
    ///   - name: The name in C.
    ///   - parameters: The parameters' names, or their whole C declarations.
    ///   - policy: The rule that makes one result of the observers' results. `nil`: the policy of the
    ///     protocol's first definition; and if this is the first, the last result is kept.
    ///   - isRequired: True if an observer without it is refused.
    ///   - since: The first version of the protocol that has it.
    ///   - recursion: The effect of a broadcast inside a callback of the same method.
    ///   - isBorrowed: The broadcasters promise that bare pointers outlive a captured call.
    public init(
        _ name: String, parameters: String..., policy: Policy? = nil, isRequired: Bool = false, since: UInt32 = 1,
        recursion: Recursion = .recursive, isBorrowed: Bool = false
    ) where Result: PealValue {
        var types = MethodTypes(result: ValueType(Result.self))
        _ = (repeat types.append((each Parameter).self))
        signature = MethodSignature(
            Owner.self, name, types, parameters: parameters, isRequired: isRequired, since: since, recursion: recursion,
            isBorrowed: isBorrowed, policy: policy)
    }
}
