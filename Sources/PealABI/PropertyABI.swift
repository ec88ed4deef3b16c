public import CPeal
internal import CPealSupport
internal import PealCore

@c @implementation
public func peal_property_define(
    _ center: peal_center, _ name: UnsafePointer<CChar>?, _ type: UnsafePointer<CChar>?,
    _ initial: UnsafeRawPointer?, _ options: UnsafePointer<peal_property_options>?,
    _ out_property: UnsafeMutablePointer<peal_property>?
) -> peal_status {
    out_property?.pointee = peal_property(id: 0)
    return Boundary.making { () throws(Failure) in
        guard let out_property else { throw .null("out_property") }
        let center = try center.find()
        var description = PropertyDescription(
            name: try CallerText.read(name, "name"), type: try CallerText.source(type, "type"))
        description.initial = initial
        try description.apply(options)
        out_property.pointee = peal_property(id: try center.define(description).id)
    }
}

@c @implementation
public func peal_property_find(
    _ center: peal_center, _ name: UnsafePointer<CChar>?, _ type: UnsafePointer<CChar>?,
    _ out_property: UnsafeMutablePointer<peal_property>?
) -> peal_status {
    out_property?.pointee = peal_property(id: 0)
    return Boundary.status { () throws(Failure) in
        guard let out_property else { throw .null("out_property") }
        let type: String? = type == nil ? nil : try CallerText.source(type, "type")
        let property = try center.find().findProperty(try CallerText.read(name, "name"), type: type)
        out_property.pointee = peal_property(id: property.id)
    }
}

@c @implementation
public func peal_property_remove(_ property: peal_property) -> peal_status {
    Boundary.status { () throws(Failure) in try Property.find(property.id).end() }
}

@c @implementation
public func peal_property_name(
    _ property: peal_property, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ out_length: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        try Boundary.write(try Property.find(property.id).name, buffer, capacity, out_length)
    }
}

@c @implementation
public func peal_property_type(
    _ property: peal_property, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ out_length: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        try Boundary.write(try Property.find(property.id).typeText, buffer, capacity, out_length)
    }
}

@c @implementation @_optimize(speed)
public func peal_property_get(
    _ property: peal_property, _ out_value: UnsafeMutableRawPointer?, _ size: Int
) -> peal_status {
    guard let out_value else { return Boundary.fail(.null("out_value")) }
    if PropertyAccess.readFast(property.id, into: out_value, size: size) { return PEAL_OK }
    return Boundary.fail(Property.readFailure(property.id, size: CallerSize.clamped(size)))
}

@c @implementation
public func peal_property_get_text(
    _ property: peal_property, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ out_length: UnsafeMutablePointer<Int>?
) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        let capacity = try CallerSize.room(capacity)
        guard buffer != nil || capacity == 0 else { throw .null("buffer") }
        let length = try Property.readText(property.id, into: buffer, capacity: capacity)
        out_length?.pointee = length
        return length < capacity ? PEAL_OK : PEAL_TRUNCATED
    }
}

@c @implementation @_optimize(speed)
public func peal_property_set(
    _ property: peal_property, _ value: UnsafeRawPointer?, _ size: Int
) -> peal_status {
    if let value, peal_thread_batches() > 0 {
        if peal_property_set_in_batch(property.id, value, size) { return PEAL_DEFERRED }
    } else if let value, let isRejected = PropertyAccess.setFast(property.id, value, size: size) {
        return isRejected ? PEAL_REJECTED : PEAL_OK
    }
    return setSlow(property, value, size)
}

@inline(never)
private func setSlow(_ property: peal_property, _ value: UnsafeRawPointer?, _ size: Int) -> peal_status {
    Boundary.outcome { () throws(Failure) in
        guard let value else { throw .null("value") }
        return try Property.set(property.id, value, size: CallerSize.clamped(size)).status
    }
}

@c @implementation
public func peal_property_compare_and_set(
    _ property: peal_property, _ expected: UnsafeRawPointer?, _ value: UnsafeRawPointer?, _ size: Int,
    _ out_is_set: UnsafeMutablePointer<Bool>?
) -> peal_status {
    out_is_set?.pointee = false
    return Boundary.outcome { () throws(Failure) in
        guard let expected else { throw .null("expected") }
        guard let value else { throw .null("value") }
        let outcome = try Property.set(property.id, value, size: CallerSize.clamped(size), expected: expected)
        out_is_set?.pointee = outcome.isSet
        return outcome.status
    }
}

@c @implementation
public func peal_batch_begin() -> peal_status {
    peal_thread_begin_batch_again()
        ? PEAL_OK : Boundary.status { () throws(Failure) in try PropertyBatch.begin() }
}

@c @implementation
public func peal_batch_end() -> peal_status {
    guard let isRejected = PropertyBatch.end() else { return Boundary.fail(PropertyBatch.noneIsOpen) }
    return isRejected ? PEAL_REJECTED : PEAL_OK
}

@c @implementation
public func peal_property_observe(
    _ property: peal_property, _ target: UnsafeMutableRawPointer?,
    _ observer: UnsafePointer<peal_property_observer>?, _ flags: UInt32,
    _ options: UnsafePointer<peal_observe_options>?, _ out_observation: UnsafeMutablePointer<peal_observation>?
) -> peal_status {
    Registration.registering(target, options, out_observation) { (given) throws(Failure) in
        let property = try Property.find(property.id)
        guard let observer else { throw .null("observer") }
        var registration = try property.registration(target: target, table: UnsafeRawPointer(observer))
        try registration.apply(flags, hasQueue: given != nil && given?.pointee.queue.id != 0)
        if let given { try registration.apply(given) }
        guard flags & UInt32(PEAL_PROPERTY_INITIAL.rawValue) != 0 else { return (try registration.register(), PEAL_OK) }
        let made = try property.observeFromNow(&registration)
        return (made.id, made.outcome.status)
    }
}

extension Registration {
    fileprivate mutating func apply(_ flags: UInt32, hasQueue: Bool) throws(Failure) {
        let known = UInt32(PEAL_PROPERTY_INITIAL.rawValue | PEAL_PROPERTY_KEEP_LATEST.rawValue)
        guard flags & ~known == 0 else {
            throw Failure(
                .argument,
                "the flags of a property's observer have bits that this library does not define; use those of enum peal_property_observe_flags"
            )
        }
        guard flags & UInt32(PEAL_PROPERTY_KEEP_LATEST.rawValue) == 0 || hasQueue else {
            throw Failure(
                .argument,
                "PEAL_PROPERTY_KEEP_LATEST applies to calls that wait on a queue; name a queue in the options, or remove the flag"
            )
        }
        if flags & UInt32(PEAL_PROPERTY_KEEP_LATEST.rawValue) != 0 { options.insert(.keepsLatest) }
    }
}

extension Property.SetOutcome {
    fileprivate var status: peal_status {
        isDeferred ? PEAL_DEFERRED : isRejected ? PEAL_REJECTED : PEAL_OK
    }
}

extension PropertyDescription {
    fileprivate mutating func apply(_ options: UnsafePointer<peal_property_options>?) throws(Failure) {
        let given = try Boundary.options(options, named: "the options of a property", default: peal_property_options())
        guard given.flags & ~UInt32(PEAL_PROPERTY_IGNORE_EQUAL.rawValue) == 0 else {
            throw Failure(
                .argument,
                "the flags of a property have bits that this library does not define; use those of enum peal_property_flags"
            )
        }
        ignoresEqual = given.flags != 0
        owner = try CurrentOwner.find(given.owner.id)
    }
}
