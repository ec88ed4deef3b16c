internal import CPealSupport

/// Who asks for services on this thread now, in words: for those who look at a service later.
enum CurrentAsker {
    /// Has what `body` asks for be asked for by "service Chat", "observer of Chat" and the like.
    static func run<Result>(as text: String, _ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        var bytes = Array(text.utf8CString)
        guard let thread = peal_thread_current(), let copy = peal_memory_allocate(bytes.count) else { return try body() }
        copy.copyMemory(from: &bytes, byteCount: bytes.count)
        let outer = thread.pointee.asker
        thread.pointee.asker = UnsafePointer(copy.assumingMemoryBound(to: CChar.self))
        defer {
            thread.pointee.asker = outer
            peal_memory_free(copy)
        }
        return try body()
    }

    /// Whoever was said; else the thread's owner; else the program.
    static var name: String {
        if let said = peal_thread_own_slot()?.pointee.asker { return String(cString: said) }
        if let owner = Handles.owners.find(CurrentOwner.number) { return "owner \(owner.name)" }
        return "the program"
    }
}
