public import Observation
public import Peal

/// A property of a center as an observable object, for SwiftUI and `withObservationTracking`.
///
///     let volume = try ObservableProperty(Property("volume", initially: Int32(5)))
///
///     withObservationTracking {
///         print(volume.value)
///     } onChange: {
///         print("the volume changes")
///     }
///     volume.value = 7
///
/// A change by any part of the program, in any language, calls `onChange`, on the thread that sets the property.
public final class ObservableProperty<Value: PealValue & Sendable>: Observable, Sendable {
    /// The property.
    public let property: Property<Value>
    private let registrar = ObservationRegistrar()
    private let initial: Value

    /// Begins to observe a property. It ends with this object.
    ///
    /// - Parameter property: The property.
    /// - Throws: ``Status/handle`` once the property has ended.
    ///
    /// Thread rule: any thread.
    public init(_ property: Property<Value>) throws(PealError) {
        self.property = property
        initial = try property.value
        // Trackers are notified before a change and after it, because `onChange` may read the value.
        try property.observe(for: self, .before) { object, _, _ in object.registrar.willSet(object, keyPath: \.value) }
        try property.observe(for: self) { object, _, _ in object.registrar.didSet(object, keyPath: \.value) }
    }

    /// The value. Reading it in a tracked closure registers the access. Once the property has ended, it is the value that
    /// the property had when this object was made, and setting it has no effect.
    ///
    /// Thread rule: any thread.
    public var value: Value {
        get {
            registrar.access(self, keyPath: \.value)
            return (try? property.value) ?? initial
        }
        set { _ = try? property.set(newValue) }
    }
}
