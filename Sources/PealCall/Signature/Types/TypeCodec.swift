/// The functions that encode and decode the values of a type, by their addresses. peal itself does not call them.
public struct TypeCodec: Hashable, Sendable {
    public let encode, decode: UInt

    public init(encode: UInt, decode: UInt) {
        self.encode = encode
        self.decode = decode
    }
}
