/// A variable that is a property of a center.
///
///     final class Player {
///         @Shared("volume") var volume: Int32 = 5
///     }
///
///     player.volume = 7
///     let shown = try player.$volume.observe { old, new in print("from \(old) to \(new)") }
///
/// All variables of one name and type in a center are one value, in any language. The first one
/// gives the initial value.
///
/// Where it cannot be shared, for example because the name has another type, it is an ordinary variable:
/// `$volume.failure` has the cause, and so have the errors of `$volume`. A property that was removed is defined again
/// by the next set.
///
/// A class that is `Sendable` cannot have wrapped variables: there use ``SharedProperty``.
///
/// Any thread may read and set it. The C interface's `peal_property_get` and `peal_property_set`.
@propertyWrapper
public struct Shared<Value: PealValue & Sendable>: Sendable {
    /// The shared property: for observing, and with the cause if it could not be shared.
    public let projectedValue: SharedProperty<Value>

    /// Defines the property, or finds it.
    ///
    /// - Parameters:
    ///   - wrappedValue: Its value, if it is new.
    ///   - name: 1 to 255 bytes.
    ///   - center: The center; kept.
    ///   - ignoresEqual: True if a set to an equal value notifies no observer.
    ///
    /// Any thread. The C interface's `peal_property_define`.
    public init(
        wrappedValue: Value, _ name: String, in center: Center = .default, ignoresEqual: Bool = false
    ) {
        projectedValue = SharedProperty(
            wrappedValue: wrappedValue, name, in: center, ignoresEqual: ignoresEqual)
    }

    /// The value.
    public var wrappedValue: Value {
        get { projectedValue.wrappedValue }
        nonmutating set { projectedValue.wrappedValue = newValue }
    }
}
