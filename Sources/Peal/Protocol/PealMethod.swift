/// A method: its name, and the types of its result and its parameters.
///
/// Write it as `Method<Void, String, Int32>` inside its ``PealProtocol``. It is a declaration, which belongs to no
/// center; any number of centers can define it.
public struct PealMethod<Owner: PealProtocol, Result, each Parameter: PealParameter>: MethodDeclaration {
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

    /// Declares a method with a result and a policy. The policy makes one result of the observers' results.
    ///
    /// - Parameters:
    ///   - name: The name in C.
    ///   - parameters: The parameters' names, or their whole C declarations.
    ///   - policy: The rule that makes one result of the observers' results. It is compared with that of a protocol
    ///     that is defined already.
    ///   - isRequired: True if an observer without it is refused.
    ///   - since: The first version of the protocol that has it.
    ///   - recursion: The effect of a broadcast inside a callback of the same method.
    ///   - isBorrowed: The broadcasters promise that bare pointers outlive a captured call.
    public init(
        _ name: String, parameters: String..., policy: SinglePolicy, isRequired: Bool = false, since: UInt32 = 1,
        recursion: Recursion = .recursive, isBorrowed: Bool = false
    ) where Result: PealValue {
        var types = MethodTypes(result: ValueType(Result.self))
        _ = (repeat types.append((each Parameter).self))
        signature = MethodSignature(
            Owner.self, name, types, parameters: parameters, isRequired: isRequired, since: since, recursion: recursion,
            isBorrowed: isBorrowed, policy: policy.policy)
    }

    /// Declares a method whose broadcasters get the result of each observer. A policy in C's definition is accepted.
    ///
    /// - Parameters:
    ///   - name: The name in C.
    ///   - parameters: The parameters' names, or their whole C declarations.
    ///   - isRequired: True if an observer without it is refused.
    ///   - since: The first version of the protocol that has it.
    ///   - recursion: The effect of a broadcast inside a callback of the same method.
    ///   - isBorrowed: The broadcasters promise that bare pointers outlive a captured call.
    public init<Answer: PealValue>(
        _ name: String, parameters: String..., isRequired: Bool = false, since: UInt32 = 1,
        recursion: Recursion = .recursive, isBorrowed: Bool = false
    ) where Result == Each<Answer> {
        var types = MethodTypes(result: ValueType(Answer.self))
        _ = (repeat types.append((each Parameter).self))
        signature = MethodSignature(
            Owner.self, name, types, parameters: parameters, isRequired: isRequired, since: since, recursion: recursion,
            isBorrowed: isBorrowed, policy: nil)
    }

    /// Refuses a result without a policy: the broadcaster would get the result of an unspecified observer.
    @available(
        *, unavailable,
        message:
            "add a policy that makes one result of the observers' results, such as policy: .last, or declare Each<…>"
    )
    public init(
        _ name: String, parameters: String..., isRequired: Bool = false, since: UInt32 = 1,
        recursion: Recursion = .recursive, isBorrowed: Bool = false
    ) where Result: PealValue {
        self.init(
            name, policy: .last, isRequired: isRequired, since: since, recursion: recursion, isBorrowed: isBorrowed)
    }
}
