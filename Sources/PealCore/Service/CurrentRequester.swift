internal import CPealSupport

/// The description of the code that requests services on this thread, for `ServiceInfo`.
enum CurrentRequester {
    /// Sets the requester during `body`: "service Chat", "observer of Chat" and similar.
    static func run<Result>(as text: String, _ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        var bytes = Array(text.utf8CString)
        guard let engine = peal_thread_current().map(peal_thread_engine), let copy = peal_memory_allocate(bytes.count)
        else {
            return try body()
        }
        copy.copyMemory(from: &bytes, byteCount: bytes.count)
        let outer = engine.pointee.requester
        engine.pointee.requester = UnsafePointer(copy.assumingMemoryBound(to: CChar.self))
        defer {
            engine.pointee.requester = outer
            peal_memory_free(copy)
        }
        return try body()
    }

    /// The requester that was set; else the thread's owner; nil: the program.
    static var current: String? {
        if let text = peal_thread_own_engine()?.pointee.requester { return String(cString: text) }
        let owner = CurrentOwner.id
        if owner != 0, let owner = Handles.owners.find(owner) { return "owner \(owner.name)" }
        return nil
    }

    /// The name of the requester if neither a service nor an owner is one.
    static var program: String { "the program" }
}
