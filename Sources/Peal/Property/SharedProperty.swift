internal import Synchronization

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
/// Thread rule: any thread. The C interface's `peal_property_get` and `peal_property_set`.
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
    /// Thread rule: any thread. The C interface's `peal_property_define`.
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

/// The storage of ``Shared``: the property, if there is one, and otherwise a value of its own.
///
/// `$volume` is this object. It registers observers, and has the cause when there is no property. A class that is
/// `Sendable` cannot have wrapped variables; it has a constant of this type instead:
///
///     let volume = SharedProperty(wrappedValue: Int32(5), "volume", in: center)
public final class SharedProperty<Value: PealValue & Sendable>: Sendable {
    private let name: String
    private let center: Center
    private let ignoresEqual: Bool
    private let state: Mutex<State>

    private struct State: Sendable {
        /// The property, or why there is none.
        var property: Result<Property<Value>, PealError>
        /// The value that was set or read last.
        var last: Value
        /// The reason why the property refused the last value, which is this variable's own until the next set.
        var refusal: PealError?
        /// The number of sets so far. A get that overlaps a set does not replace the value of that set.
        var sets = 0
    }

    /// Defines the property, or finds it.
    ///
    /// - Parameters:
    ///   - initial: Its value, if it is new.
    ///   - name: 1 to 255 bytes.
    ///   - center: The center; kept.
    ///   - ignoresEqual: True if a set to an equal value notifies no observer.
    ///
    /// Thread rule: any thread. The C interface's `peal_property_define`.
    public init(
        wrappedValue initial: Value, _ name: String, in center: Center = .default, ignoresEqual: Bool = false
    ) {
        self.name = name
        self.center = center
        self.ignoresEqual = ignoresEqual
        let property = Self.define(name, initial, center, ignoresEqual)
        state = Mutex(State(property: property, last: initial))
    }

    /// The property itself, for all that it can do.
    ///
    /// - Returns: The property, which can be kept by itself.
    /// - Throws: ``Status/conflict`` where the name has another type; ``Status/handle`` once the center has ended.
    ///
    /// Thread rule: any thread. The C interface's `peal_property_define`.
    public func property() throws(PealError) -> Property<Value> {
        try state.withLock { $0.property }.get()
    }

    /// The reason why the variable does not share its value, or nil. A value that the property refuses, such as a
    /// string with a zero inside, is not shared; the next one is.
    ///
    /// Thread rule: any thread.
    public var failure: PealError? {
        state.withLock { state in
            if case .failure(let error) = state.property { error } else { state.refusal }
        }
    }

    /// Calls a closure for each change: ``Property/observe(_:_:body:)``.
    ///
    /// - Parameters:
    ///   - notifications: The notifications: `.initial`, `.latest`, `.before`.
    ///   - options: Options of the registration.
    ///   - body: Gets the old value and the new one; kept until the observation has ended.
    /// - Returns: The observation, which ends with its last reference.
    /// - Throws: ``failure``, or ``Status/handle`` once the property has ended.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_property_observe`.
    public func observe(
        _ notifications: ChangeNotification = [], _ options: ObserverOption...,
        body: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
    ) throws(PealError) -> ObserverToken {
        try property().observe(notifications, options) { record in
            let change = Change<Value>(record)
            body(change.old, change.new)
        }
    }

    /// The property's value. Where the property has ended or there never was one, the value that was set or read last.
    ///
    /// Thread rule: any thread. The C interface's `peal_property_get` and `peal_property_set`.
    public var wrappedValue: Value {
        get {
            let (property, own, sets) = state.withLock { state in
                (state.property, state.refusal == nil ? nil : state.last, state.sets)
            }
            if let own { return own }
            guard let value = try? property.get().value else { return state.withLock { $0.last } }
            state.withLock { if $0.sets == sets { $0.last = value } }
            return value
        }
        set {
            let property = state.withLock { state in
                state.sets += 1
                state.last = newValue
                return state.property
            }
            let refusal = property.flatMap { property in
                Result { () throws(PealError) in _ = try property.set(newValue) }
            }.failure
            if refusal?.status == .handle {
                // It was removed: a set defines it again.
                let property = Self.define(name, newValue, center, ignoresEqual)
                state.withLock { ($0.property, $0.refusal) = (property, nil) }
            } else {
                state.withLock { $0.refusal = refusal }
            }
        }
    }

    private static func define(
        _ name: String, _ initial: Value, _ center: Center, _ ignoresEqual: Bool
    ) -> Result<Property<Value>, PealError> {
        Result { () throws(PealError) in
            try Property(name, initially: initial, in: center, ignoresEqual: ignoresEqual)
        }
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
