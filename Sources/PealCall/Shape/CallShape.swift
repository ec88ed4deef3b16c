/// The shape of a whole call: what call interfaces are cached by.
///
/// The observer's target, a pointer, comes before the parameters and is not among them.
public struct CallShape: Hashable, Sendable {
    public var result: ValueShape
    public var parameters: [ValueShape]

    public init(result: ValueShape, parameters: [ValueShape]) {
        self.result = result
        self.parameters = parameters
    }
}
