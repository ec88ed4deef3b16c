public import CPeal
internal import CPealSupport
internal import PealCore

@c @implementation
public func peal_tap_create(
    _ center: peal_center, _ options: UnsafePointer<peal_tap_options>?, _ out_tap: UnsafeMutablePointer<peal_tap>?
) -> peal_status {
    out_tap?.pointee = peal_tap(id: 0)
    do throws(Failure) {
        guard let out_tap else { throw .null("out_tap") }
        guard let options else { throw .null("options") }
        guard options.isSized else { throw Boundary.wrongSize(of: options, named: "the options of a tap") }
        let center = center.id == 0 ? nil : try center.find()
        try Boundary.prepareMemory()
        out_tap.pointee = peal_tap(id: try Taps.open(options, center: center))
        return PEAL_OK
    } catch {
        if let options, options.isSized { options.pointee.destroy?(options.pointee.context) }
        return Boundary.fail(error)
    }
}

extension UnsafePointer<peal_tap_options> {
    fileprivate var isSized: Bool { Boundary.size(of: self) == MemoryLayout<peal_tap_options>.size }
}

@c @implementation
public func peal_tap_destroy(_ tap: peal_tap) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        guard let isDone = Taps.close(tap.id) else { throw .staleTap }
        return Boundary.waited(
            isDone, "the function of the tap runs, or this is inside of it; it is not called again once it has returned"
        )
    }
}

@c @implementation
public func peal_tap_read(
    _ tap: peal_tap, _ records: UnsafeMutablePointer<peal_tap_record>?, _ capacity: Int,
    _ out_count: UnsafeMutablePointer<Int>?, _ out_lost: UnsafeMutablePointer<UInt64>?
) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let records, let out_count else { throw .null(records == nil ? "records" : "out_count") }
        var lost: UInt64 = 0
        switch peal_taps_read(tap.id, records, try CallerSize.room(capacity), out_count, &lost) {
        case PEAL_TAP_READ: out_lost?.pointee = lost
        case PEAL_TAP_STALE: throw .staleTap
        default: throw Failure(.state, "the tap has no rings to read: it has a function, or it counts")
        }
    }
}

@c @implementation
public func peal_tap_get_info(_ tap: peal_tap, _ out_info: UnsafeMutablePointer<peal_tap_info>?) -> peal_status {
    Boundary.status { () throws(Failure) in
        guard let out_info else { throw .null("out_info") }
        _ = try Boundary.options(out_info, named: "the information about a tap", default: peal_tap_info())
        guard peal_taps_read_info(tap.id, out_info) else { throw .staleTap }
    }
}

@c @implementation
public func peal_method_get_counts(
    _ method: peal_method, _ out_counts: UnsafeMutablePointer<peal_counts>?
) -> peal_status {
    Boundary.counts(method.id, out_counts) { () throws(Failure) in _ = try method.find() }
}

@c @implementation
public func peal_observation_get_counts(
    _ observation: peal_observation, _ out_counts: UnsafeMutablePointer<peal_counts>?
) -> peal_status {
    Boundary.counts(observation.id, out_counts) { () throws(Failure) in _ = try observation.find() }
}

extension Boundary {
    fileprivate static func counts(
        _ id: UInt64, _ out: UnsafeMutablePointer<peal_counts>?, check: () throws(Failure) -> Void
    ) -> peal_status {
        status { () throws(Failure) in
            guard let out else { throw .null("out_counts") }
            _ = try options(out, named: "the counts of calls", default: peal_counts())
            try check()
            peal_counts_read(id, out)
        }
    }
}
