internal import CPealSupport
import PealCall

/// A named value of one type. Its observers observe a protocol of its own, which has a method for each kind of
/// notification. Threads that read or set it use its element of the directory: see property.h of CPealSupport.
public final class Property: Sendable {
    public let id: UInt64
    public let name: String
    /// The text of the type, as the definition has it.
    public let typeText: String
    public var center: Center { proto.center }
    let type: PropertyType
    let ignoresEqual: Bool
    /// Its methods are made when they first have an observer or a tap. Most properties need one of them or none.
    let proto: PealProtocol
    // The element's mask belongs to this object, and is used while the property is open.
    private nonisolated(unsafe) let mask: UnsafeMutablePointer<UInt8>?

    init(
        id: UInt64, description: PropertyDescription, type: PropertyType, proto: PealProtocol,
        mask: UnsafeMutablePointer<UInt8>?
    ) {
        self.id = id
        name = description.name
        typeText = description.type
        ignoresEqual = description.ignoresEqual
        self.type = type
        self.proto = proto
        self.mask = mask
    }

    /// The element is never unmapped. Once the property has ended, another one may have it.
    var element: UnsafeMutablePointer<peal_property_element> { peal_property_element_of(id).unsafelyUnwrapped }

    deinit {
        peal_memory_free(mask)
    }

    public static func find(_ id: UInt64) throws(Failure) -> Property {
        guard let property = Handles.properties.find(id) else { throw .staleProperty }
        return property
    }

    /// Makes the handle stale. No thread reads, sets or notifies afterwards. May be called under the center's lock.
    func close() {
        guard Handles.properties.retire(id) else { return }
        var changes: UnsafeMutablePointer<peal_change_node>?
        let isQuiet = peal_property_close(element, id, &changes)
        while let change = changes {
            changes = change.pointee.next
            peal_change_free(change)
        }
        if isQuiet { Handles.properties.recycle(id) }
    }
}

extension Property: Hashable {
    public static func == (left: Property, right: Property) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Failure {
    public static let staleProperty = Failure(
        .handle,
        "the property's handle is invalid: zero, never created, or of a property that has ended, by itself or with its center or owner"
    )
}

/// The kinds of notifications. Each may have a method of the property's protocol, whose rank is the kind.
enum NotificationKind: UInt32, CaseIterable {
    case changed, values, prior, record

    /// The name of the method.
    var method: String {
        switch self {
        case .changed: "changed"
        case .values: "changed_values"
        case .prior: "prior"
        case .record: "recorded"
        }
    }
}
