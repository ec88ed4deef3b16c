/// The last calls of a method.
extension Method {
    /// The number of kept calls.
    public var lastCallCount: Int { lastCalls?.count ?? 0 }

    /// Ends the last call of a key, or all last calls.
    ///
    /// - Parameter key: The address of the key's value; nil: all calls.
    public func clearLastCalls(ofKeyAt key: UnsafeRawPointer?) throws(Failure) {
        guard let lastCalls else {
            throw Failure(
                .state, "\(title) keeps no last call; declare it with the option sticky")
        }
        guard let key else { return lastCalls.clear(nil) }
        guard lastCalls.hasKeys else {
            throw Failure(
                .state,
                "\(title) keeps one last call, without a key; pass NULL, or declare it with the option sticky(name)")
        }
        lastCalls.clear(lastCalls.key(at: key))
    }
}
