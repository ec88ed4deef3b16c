public import CPealSupport

/// Taps see broadcasts without being observers. Their state, their rings and their events are C: see tap.h. Here is
/// what depends on methods: a method that taps see has their bits in its directory element, and a list that no fast
/// path takes.
public enum Taps {
    public typealias Options = UnsafePointer<peal_tap_options>

    /// Opens a tap. If this fails, the caller runs the destroy callback.
    ///
    /// - Parameter center: nil for all centers.
    public static func open(_ options: Options, center: Center?) throws(Failure) -> UInt64 {
        try check(options)
        var refusal = PEAL_TAP_FULL
        let id = peal_taps_open(center?.id ?? 0, options, &refusal)
        guard id != 0 else { throw refusal == PEAL_TAP_FULL ? .tooManyTaps : .outOfMemory }
        do throws(Failure) {
            for center in centers(center) { try center.updateTaps() }
            return id
        } catch {
            close(id, runsDestroy: false)
            throw error
        }
    }

    /// Closes a tap.
    ///
    /// - Returns: True if its function runs on no thread any more; nil if the id was stale.
    @discardableResult
    public static func close(_ id: UInt64, runsDestroy: Bool = true) -> Bool? {
        var center: UInt64 = 0
        guard peal_taps_begin_close(id, runsDestroy, &center) else { return nil }
        // If memory is refused, or the center has ended, a list stays on the general path, and taps see nothing there.
        for center in centers(center == 0 ? nil : Handles.centers.find(center)) { try? center.updateTaps() }
        return peal_taps_finish_close(id)
    }

    private static func centers(_ center: Center?) -> [Center] {
        if let center { return [center] }
        return Handles.centers.ids.compactMap(Handles.centers.find)
    }

    private static func check(_ options: Options) throws(Failure) {
        let given = options.pointee
        let counts = given.flags & UInt32(PEAL_TAP_COUNT.rawValue) != 0
        guard given.flags & ~UInt32(PEAL_TAP_COUNT.rawValue) == 0, given.events < UInt32(PEAL_TAP_LOST.rawValue) else {
            throw Failure(.argument, "a tap has bits that this library does not define; use those of peal/tap.h")
        }
        guard !counts || given.function == nil && given.events == 0 else {
            throw Failure(.argument, "a tap that counts has no function and no events; open another one for these")
        }
        guard CallerSize.clamped(given.capacity) <= 1 << 20 else {
            throw Failure(.argument, "the ring of a tap has \(1 << 20) records at most")
        }
        guard let filter = given.filter else { return }
        let column = peal_tap_filter_mistake(filter)
        guard column == 0 else {
            throw Failure(
                .argument,
                "the filter of a tap is wrong at column \(column); give patterns such as Chat.*,-Chat.tick, and quote a name with other characters: \"command echo\""
            )
        }
    }
}

extension Failure {
    fileprivate static let tooManyTaps = Failure(
        .limit, "\(PEAL_TAPS) taps are open; close those that are not needed")
    public static let staleTap = Failure(
        .handle, "the tap's handle is invalid: zero, never created, or of a tap that was closed")
}

extension Center {
    /// Marks each method with the taps that are open now. Does nothing if the center has ended meanwhile.
    fileprivate func updateTaps() throws(Failure) {
        do throws(Failure) {
            try markMethods()
        } catch {
            if error.kind != .handle { throw error }
        }
        Reclaimer.collectBacklog()
    }

    private func markMethods() throws(Failure) {
        try keepInState { (state) throws(Failure) in
            for property in state.properties.values { try state.makeTappedMethods(of: property) }
            for proto in state.protocols {
                for method in state[proto].all { try method.element.setTaps(method.taps) }
            }
        }
    }
}

extension Method {
    /// The bits of the open taps that see the method.
    var taps: UInt32 { peal_taps_exist() ? owner.taps(of: name) : 0 }
}

extension PealProtocol {
    /// The bits of the open taps that see the method of a name.
    func taps(of method: String) -> UInt32 { peal_taps_of(center.id, name, "\(name).\(method)") }
}

extension MethodElement {
    /// Changes the taps of a method. The caller must hold the center's lock.
    fileprivate func setTaps(_ taps: UInt32) throws(Failure) {
        let wasTapped = isTapped
        let before = peal_directory_taps(self)
        peal_directory_set_taps(self, taps)
        guard wasTapped != isTapped else { return }
        do throws(Failure) {
            let next = list == nil && taps != 0 ? (try Snapshot.make(for: self, capacity: 0), 0) : try rebuilt()
            publish(next.0, borrowed: next.1)
        } catch {
            if taps != 0 { peal_directory_set_taps(self, before) }
            throw error
        }
    }

    private func rebuilt() throws(Failure) -> (Snapshot, Int) {
        let built = try SnapshotBuilder(self).build(grows: true)
        return (built.list, built.borrowed)
    }
}
