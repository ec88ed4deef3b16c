internal import CPealSupport
import PealCall

/// Finds the function pointers into a loaded object that are still registered, before it is unloaded.
public struct PointerSearch {
    /// A found pointer, with its purpose.
    public typealias Found = (what: String, function: UInt)

    private let object: UInt
    private var found: [Found] = []

    /// - Parameter address: Any address in the object.
    public static func run(_ address: UnsafeRawPointer) throws(Failure) -> [Found] {
        let object = peal_object_base(address)
        guard object != 0 else {
            throw Failure(.notFound, "no loaded object has this address; give that of one of its functions")
        }
        // Captured calls whose observers have all ended are never made. They are dropped, and their pointers are not
        // reported.
        Mailbox.dropAllDead()
        var search = PointerSearch(object: object)
        // An ended object stays in its table until the last of its functions has returned.
        Handles.forEachPointerHolder { $0.addPointers(to: &search) }
        for hooks in TypeHooks.all { hooks.addPointers(to: &search) }
        for index in 0..<UInt32(PEAL_TAPS) {
            var functions: (peal_function?, peal_function?) = (nil, nil)
            peal_taps_functions(index, &functions.0, &functions.1)
            search.add(functions.0, "function of a tap")
            search.add(functions.1, "destroy callback of a tap")
        }
        for destroy in Reference.destroyCallbacks { search.add(destroy, "destroy callback of a counted object") }
        return search.found
    }

    private init(object: UInt) {
        self.object = object
    }

    /// Adds the functions of a record that is called as those of observers are: its functions, while calls may begin or
    /// one runs; its destroy callback, until that has returned.
    mutating func add(
        _ record: UnsafeMutablePointer<ObserverRecord>, _ article: String, _ kind: String,
        functions: (inout PointerSearch) -> Void
    ) {
        guard !peal_observer_is_quiet(record) else { return }
        let isDestroyed = peal_observer_is_destroyed(record)
        let isRemoved = peal_gate_load(record.gate) & ObserverGate.removed != 0
        // A thread that has begun its next broadcast names the observer of its last call until it calls another.
        let isRunning = isRemoved && !RunningCalls.wait(for: [record], deadline: peal_clock_deadline(10))
        if !isRemoved || isRunning {
            functions(&self)
            add(record.extras?.pointee.retain, "retain function of a weak \(kind)")
            add(record.extras?.pointee.release, "release function of a weak \(kind)")
        }
        if !isDestroyed || isRunning { add(record.pointee.destroy, "destroy callback of \(article) \(kind)") }
    }

    /// Adds a function pointer, unless it is nil or leads elsewhere.
    mutating func add<Function>(_ function: Function?, _ what: @autoclosure () -> String) {
        add(address: function.map { unsafeBitCast($0, to: UInt.self) } ?? 0, what())
    }

    mutating func add(address: UInt, _ what: @autoclosure () -> String) {
        guard let pointer = UnsafeRawPointer(bitPattern: address), peal_object_base(pointer) == object else { return }
        found.append((what(), address))
    }
}
