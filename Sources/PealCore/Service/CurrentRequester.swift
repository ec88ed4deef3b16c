internal import CPealSupport

/// The description of the current caller of gets on this thread: for the information about a service.
enum CurrentRequester {
    /// Sets the caller of gets inside `body`: "service Chat", "observer of Chat" and similar.
    static func run<Result>(as text: String, _ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        var bytes = Array(text.utf8CString)
        guard let thread = peal_thread_current(), let copy = peal_memory_allocate(bytes.count) else {
            return try body()
        }
        copy.copyMemory(from: &bytes, byteCount: bytes.count)
        let outer = thread.pointee.requester
        thread.pointee.requester = UnsafePointer(copy.assumingMemoryBound(to: CChar.self))
        defer {
            thread.pointee.requester = outer
            peal_memory_free(copy)
        }
        return try body()
    }

    /// The set caller; else the thread's owner; else the program.
    static var name: String {
        if let text = peal_thread_own_slot()?.pointee.requester { return String(cString: text) }
        if let owner = Handles.owners.find(CurrentOwner.id) { return "owner \(owner.name)" }
        return "the program"
    }
}
