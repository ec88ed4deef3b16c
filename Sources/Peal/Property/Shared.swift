/// A variable that is a property of a center.
///
///     final class Player {
///         @Shared("volume") var volume: Int32 = 5
///     }
///
///     player.volume = 7
///     let shown = try player.$volume.observe { old, new in print("from \(old) to \(new)") }
///
/// All variables of one name and type in a center are one value, whatever language they are in. The first one
/// gives the initial value.
///
/// Where it cannot be shared, since the name has another type say, it is an ordinary variable: `$volume.failure` tells
/// why, and so does what `$volume` throws. A property that was removed is defined again by the next set.
///
/// A class that is `Sendable` cannot have wrapped variables: there use ``SharedProperty``.
///
/// Any thread may read and set it. The C interface's `peal_property_get` and `peal_property_set`.
@propertyWrapper
public struct Shared<Value: PealValue & Sendable>: Sendable {
    /// What stands behind it: to observe, and to see why it could not be shared.
    public let projectedValue: SharedProperty<Value>

    /// Defines the property, or finds it.
    ///
    /// - Parameters:
    ///   - wrappedValue: Its value, if it is new.
    ///   - name: 1 to 255 bytes.
    ///   - center: Where; kept.
    ///   - ignoresEqual: Whether a set to an equal value tells nobody.
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
