/// The type of a function behind a pointer. Parameter names and counts are no part of it.
public struct FunctionType: Sendable {
    public let result: QualifiedType
    /// Arrays and functions among them are pointers already.
    public let parameters: [QualifiedType]
    public let isVariadic: Bool
}
