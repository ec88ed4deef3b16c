internal import CPeal
internal import CPealSupport
internal import PealCore

/// The conversions between C and Swift: statuses, sentences, texts, sized structs.
enum Boundary {
    /// Runs `body` and turns what it throws into a status and the thread's sentence.
    static func status(_ body: () throws(Failure) -> Void) -> peal_status {
        do throws(Failure) {
            try body()
            return PEAL_OK
        } catch {
            return fail(error)
        }
    }

    /// Runs `body` and returns its status, which may be a success with a remark. A failure becomes a status and the
    /// thread's sentence.
    static func outcome(_ body: () throws(Failure) -> peal_status) -> peal_status {
        do throws(Failure) {
            return try body()
        } catch {
            return fail(error)
        }
    }

    /// Prepares the thread's reserve, then runs `body`, which makes a lasting object. A failure becomes a status and
    /// the thread's sentence.
    static func making(_ body: () throws(Failure) -> Void) -> peal_status {
        status { () throws(Failure) in
            try prepareMemory()
            try body()
        }
    }

    /// Fills the thread's reserve, from which the Swift runtime allocates when the system refuses memory. An operation
    /// that makes lasting objects calls this before its first change. An operation that ends an object does not: it
    /// must not fail, and it returns the memory that it takes.
    ///
    /// - Parameter size: The number of bytes that the operation may need, if it depends on the caller's input.
    static func prepareMemory(_ size: Int = 0) throws(Failure) {
        guard peal_reserve_prepare(size) else { throw .outOfMemory }
    }

    /// Stores a failure for the calling thread. If the thread's record cannot be allocated, only the status reports the
    /// failure.
    @inline(never)
    static func fail(_ failure: Failure) -> peal_status {
        let status = peal_status(failure.kind)
        if store(status, failure.sentence) {
            peal_tap_note(UInt32(PEAL_TAP_FAILED.rawValue), 0, 0, Int32(status.rawValue))
        }
        return status
    }

    /// Returns the status of an operation that waits for calls. If it has not waited, its reason is stored for the calling
    /// thread, so that peal_last_message() is not that of an earlier failure.
    static func waited(_ isDone: Bool, _ reason: @autoclosure () -> String) -> peal_status {
        if isDone { return PEAL_OK }
        store(PEAL_NOT_WAITED, reason())
        return PEAL_NOT_WAITED
    }

    /// - Returns: False if the thread has no memory for it.
    @discardableResult
    private static func store(_ status: peal_status, _ sentence: String) -> Bool {
        guard let thread = peal_thread_current() else { return false }
        peal_thread_engine(thread).pointee.last_status = Int32(status.rawValue)
        copy(sentence, to: peal_thread_message(thread), capacity: Int(PEAL_THREAD_MESSAGE_CAPACITY))
        return true
    }

    /// Copies a text as snprintf does: cut to fit between two characters, ended by a zero.
    @discardableResult
    static func copy(_ text: String, to buffer: UnsafeMutablePointer<CChar>, capacity: Int) -> Int {
        var text = text
        return text.withUTF8 { bytes in
            var end = min(bytes.count, capacity - 1)
            while end < bytes.count, end > 0, bytes[end] & 0xc0 == 0x80 { end -= 1 }
            for index in 0..<end { buffer[index] = CChar(bitPattern: bytes[index]) }
            buffer[end] = 0
            return bytes.count
        }
    }

    /// Copies a text into a caller's buffer.
    static func write(
        _ text: String, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
        _ outLength: UnsafeMutablePointer<Int>?
    ) throws(Failure) -> peal_status {
        let capacity = try CallerSize.room(capacity)
        guard buffer != nil || capacity == 0 else { throw .null("buffer") }
        let length = text.utf8.count
        outLength?.pointee = length
        if let buffer, capacity > 0 { copy(text, to: buffer, capacity: capacity) }
        return length < capacity ? PEAL_OK : PEAL_TRUNCATED
    }

    /// Copies handles into a caller's array.
    static func list<Handle>(
        _ handles: [Handle], _ out: UnsafeMutablePointer<Handle>?, _ capacity: Int,
        _ outCount: UnsafeMutablePointer<Int>?
    ) throws(Failure) -> peal_status {
        let capacity = try CallerSize.room(capacity)
        guard out != nil || capacity == 0 else { throw .null("the array to be filled") }
        outCount?.pointee = handles.count
        for (index, handle) in handles.prefix(capacity).enumerated() { out?[index] = handle }
        return handles.count <= capacity ? PEAL_OK : PEAL_TRUNCATED
    }

    /// Checks a text as `CallerText.read` does, and returns the caller's bytes without a copy.
    static func checkedText(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(Failure) -> UnsafePointer<CChar> {
        guard let pointer else { throw .null(name) }
        var next = pointer
        while next.pointee > 0 { next += 1 }
        // A byte above ASCII: the whole text must be UTF-8.
        if next.pointee < 0 { _ = try CallerText.read(pointer, name) }
        return pointer
    }

    /// Checks a name or a label: it must be UTF-8 without control characters.
    static func checkName(_ pointer: UnsafePointer<CChar>, _ what: String) throws(Failure) {
        try CallerText.checkName(try checkedText(pointer, what), what)
    }

    /// Copies a label, which may be nil.
    static func label(_ pointer: UnsafePointer<CChar>?) throws(Failure) -> Label {
        if let pointer { try checkName(pointer, "the label") }
        return try Label(pointer)
    }

    /// Reads a struct that begins with its size.
    static func options<Options>(
        _ pointer: UnsafePointer<Options>?, named name: String, default: Options
    ) throws(Failure) -> Options {
        guard let pointer else { return `default` }
        guard size(of: pointer) == MemoryLayout<Options>.size else { throw wrongSize(of: pointer, named: name) }
        return pointer.pointee
    }

    static func wrongSize<Options>(of pointer: UnsafePointer<Options>, named name: String) -> Failure {
        Failure(
            .argument,
            "\(name): the size member is \(size(of: pointer)), but the struct of this library has \(MemoryLayout<Options>.size) bytes; set it to sizeof, and build against the headers of this version"
        )
    }

    /// The size that a struct states in its first member.
    static func size<Options>(of pointer: UnsafePointer<Options>) -> Int {
        CallerSize.declared(at: pointer)
    }
}

extension peal_status {
    init(_ kind: Failure.Kind) {
        self =
            switch kind {
            case .argument: PEAL_ERROR_ARGUMENT
            case .handle: PEAL_ERROR_HANDLE
            case .syntax: PEAL_ERROR_SYNTAX
            case .type: PEAL_ERROR_TYPE
            case .conflict: PEAL_ERROR_CONFLICT
            case .notFound: PEAL_ERROR_NOT_FOUND
            case .ambiguous: PEAL_ERROR_AMBIGUOUS
            case .conformance: PEAL_ERROR_CONFORMANCE
            case .duplicate: PEAL_ERROR_DUPLICATE
            case .argumentCount: PEAL_ERROR_ARGUMENT_COUNT
            case .policy: PEAL_ERROR_POLICY
            case .depth: PEAL_ERROR_DEPTH
            case .recursion: PEAL_ERROR_RECURSION
            case .state: PEAL_ERROR_STATE
            case .memory: PEAL_ERROR_MEMORY
            case .limit: PEAL_ERROR_LIMIT
            case .wouldDeadlock: PEAL_ERROR_WOULD_DEADLOCK
            case .timeout: PEAL_ERROR_TIMEOUT
            case .cycle: PEAL_ERROR_CYCLE
            case .creation: PEAL_ERROR_CREATION
            case .start: PEAL_ERROR_START
            case .forbidden: PEAL_ERROR_FORBIDDEN
            }
    }
}
