extension Property {
    /// The values of the property, as an asynchronous sequence: the one that it has now, and then each that is set.
    ///
    ///     for await volume in try volume.values() { bar.show(volume) }
    ///
    /// - Parameters:
    ///   - bufferingPolicy: What becomes of values that nobody has taken yet; unless given, only the latest is kept.
    ///     What is dropped is counted: ``Broadcasts/dropped``.
    ///   - options: What is special about the observer.
    /// - Returns: The sequence. The observation ends with it.
    /// - Throws: ``Status/handle`` once the property has ended.
    ///
    /// Any thread, also from a callback. The C interface's `peal_property_observe`.
    public func values(
        bufferingPolicy: Broadcasts<Value>.BufferingPolicy = .bufferingNewest(1), _ options: ObserverOption...
    ) throws(PealError) -> Broadcasts<Value> {
        try Broadcasts(bufferingPolicy) { source throws(PealError) in
            try observe(.initial, options) { source.send(Change<Value>($0).new) }
        }
    }
}
