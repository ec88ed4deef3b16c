/// A property as its author describes it.
public struct PropertyDescription {
    public var name: String
    public var type: String
    /// A set of an equal value notifies no observer.
    public var ignoresEqual = false
    /// Points to a value; nil: zeros, or an empty text.
    public var initial: UnsafeRawPointer?
    /// The owner that defines the property. The property ends with the last of its owners.
    public var owner: Owner?

    public init(name: String, type: String) {
        self.name = name
        self.type = type
    }

    func check() throws(Failure) {
        guard !name.isEmpty, name.utf8.count <= ProtocolDescription.longestName else {
            throw Failure(
                .argument,
                "a property's name has 1 to \(ProtocolDescription.longestName) bytes; this one has \(name.utf8.count)")
        }
        try CallerText.checkName(name.utf8, "a property's name")
    }

    /// The name of the property's protocol. No other protocol's name has a dot.
    var protocolName: String { "property.\(name)" }
}
