internal import CPealSupport

/// A text by which people recognise an object. It is made before the object, because memory may be refused, and attached
/// to the object afterwards. The end of the object removes it.
public struct Label: ~Copyable {
    private var label: OpaquePointer?

    /// - Parameter text: nil, or an empty text: no label.
    public init(_ text: UnsafePointer<CChar>?) throws(Failure) {
        guard let text, text.pointee != 0 else {
            label = nil
            return
        }
        guard let label = peal_label_make(text) else { throw .outOfMemory }
        self.label = label
    }

    deinit {
        if let label { peal_memory_free(UnsafeMutableRawPointer(label)) }
    }

    /// Gives the label to an object. If the object has ended meanwhile, the label is removed again.
    public consuming func attach(to id: UInt64, _ isAlive: (UInt64) -> Bool) {
        guard let attached = label else { return }
        // From now on the table owns it. (Embedded Swift has no `discard`.)
        label = nil
        peal_label_attach(attached, id)
        if !isAlive(id) { peal_label_remove(id) }
    }

    /// Copies the label of an object into a C array of characters.
    public static func copy(of id: UInt64, to room: UnsafeMutableRawBufferPointer) {
        guard let start = room.baseAddress, room.count > 0 else { return }
        peal_label_copy(id, start.assumingMemoryBound(to: CChar.self), room.count)
    }
}
