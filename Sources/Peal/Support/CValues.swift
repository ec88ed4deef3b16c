internal import CPeal
internal import Synchronization

/// Swift strings as C has them.
enum CStrings {
    /// Refuses a text with a zero byte, which C would take for its end.
    static func check(_ name: String, is what: String) throws(PealError) {
        guard name.utf8.contains(0) else { return }
        let visible = name.split(separator: "\0", omittingEmptySubsequences: false).joined(separator: "\\0")
        throw PealError(
            status: .argument, message: "\(what) '\(visible)' has a zero byte in it; remove that byte")
    }

    /// Calls a function with the label of an object, which is valid during the call: NULL where it is nil.
    static func withLabel<Result>(
        _ label: String?, _ body: (UnsafePointer<CChar>?) throws(PealError) -> Result
    ) throws(PealError) -> Result {
        guard let label else { return try body(nil) }
        try check(label, is: "the label")
        return try withList([label]) { list throws(PealError) in try body(list[0]) }
    }

    /// Calls a function with a list of strings, ended by NULL, which is valid during the call.
    static func withList<Result, Failure: Error>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let sizeOfList = (strings.count + 1) * MemoryLayout<UnsafePointer<CChar>?>.stride
        let size = strings.reduce(sizeOfList) { $0 + $1.utf8.count + 1 }
        // Short lists are on the stack.
        return try withUnsafeTemporaryAllocation(
            byteCount: size, alignment: MemoryLayout<UnsafePointer<CChar>?>.alignment
        ) { (memory) throws(Failure) -> Result in
            let start = memory.baseAddress!
            let list = start.bindMemory(to: UnsafePointer<CChar>?.self, capacity: strings.count + 1)
            var end = start + sizeOfList
            for index in strings.indices {
                var string = strings[index]
                let count = string.withUTF8 { bytes in
                    if let start = bytes.baseAddress { end.copyMemory(from: start, byteCount: bytes.count) }
                    return bytes.count
                }
                (list + index).initialize(to: UnsafePointer(end.bindMemory(to: CChar.self, capacity: count + 1)))
                end.storeBytes(of: 0, toByteOffset: count, as: CChar.self)
                end += count + 1
            }
            (list + strings.count).initialize(to: nil)
            return try body(list)
        }
    }

    /// A text that the C interface copies into a buffer: first as much as fits in most cases, then all.
    static func copied(
        _ copy: (UnsafeMutablePointer<CChar>?, Int, UnsafeMutablePointer<Int>?) -> Status
    ) throws(PealError) -> String {
        var capacity = 128
        while true {
            var length = 0
            var status = Status.ok
            var characters = [CChar](repeating: 0, count: capacity)
            characters.withUnsafeMutableBufferPointer { status = copy($0.baseAddress, capacity, &length) }
            if status.isFailure { throw PealError.last(status) }
            if status != .truncated {
                return String(decoding: characters[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
            }
            capacity = length + 1
        }
    }

    /// A list of handles that the C interface copies into a buffer; their number may grow meanwhile.
    static func handles<Handle>(
        _ empty: Handle, _ copy: (UnsafeMutablePointer<Handle>?, Int, UnsafeMutablePointer<Int>?) -> Status
    ) throws(PealError) -> [Handle] {
        var capacity = 16
        while true {
            var count = 0
            var status = Status.ok
            var handles = [Handle](repeating: empty, count: capacity)
            handles.withUnsafeMutableBufferPointer { status = copy($0.baseAddress, capacity, &count) }
            if status.isFailure { throw PealError.last(status) }
            if status != .truncated { return Array(handles[..<min(count, capacity)]) }
            capacity = max(count, capacity) * 2
        }
    }
}

extension String {
    /// A text that C keeps in an array of characters.
    init<Characters: BitwiseCopyable>(pealArray characters: Characters) {
        self = withUnsafeBytes(of: characters) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// The text in an array of characters; nil where it is empty.
    static func unlessEmpty<Characters: BitwiseCopyable>(pealArray characters: Characters) -> String? {
        let text = String(pealArray: characters)
        return text.isEmpty ? nil : text
    }

    /// Writes a text into an array of characters of C, cut between two characters where it is too long.
    func copy<Characters: BitwiseCopyable>(intoPealArray characters: inout Characters) {
        withUnsafeMutableBytes(of: &characters) { bytes in
            var used = 0
            for character in self {
                let encoded = Array(character.utf8)
                guard used + encoded.count < bytes.count else { break }
                for byte in encoded where byte != 0 {
                    bytes[used] = byte
                    used += 1
                }
            }
            bytes[used] = 0
        }
    }
}

/// Names of Swift types, for services, modules and protocols that are given none.
enum TypeName {
    private struct Names {
        let full: String
        let ofProtocol: String
    }

    // Printing a type takes microseconds, and a get of a service by type needs the name.
    private static let names = Mutex<[ObjectIdentifier: Names]>([:])

    /// The type's name with its module and its enclosing types: `App.AccountService`, also for `any AccountService`.
    static func of(_ type: Any.Type) -> String { names(of: type).full }

    /// The same for a protocol in C, whose name has no dots: `App::Player::Events`.
    static func ofProtocol(_ type: Any.Type) -> String { names(of: type).ofProtocol }

    private static func names(of type: Any.Type) -> Names {
        if let known = names.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        let made = makeNames(of: type)
        names.withLock { $0[ObjectIdentifier(type)] = made }
        return made
    }

    private static func makeNames(of type: Any.Type) -> Names {
        let printed = String(reflecting: type)
        // A private type is printed with the address of its context: `App.(unknown context at $7f12).Bell`.
        let parts = printed.split(separator: ".").filter { !$0.hasPrefix("(unknown context at $") }
        let full = parts.joined(separator: ".")
        let isPrivate = full.utf8.count != printed.utf8.count
        // Services and modules of one name are refused. Protocols of one name are the same, so private types of two
        // files are distinguished by their identity.
        let identity = UInt(bitPattern: unsafeBitCast(type, to: UnsafeRawPointer.self))
        let suffix = isPrivate ? " #\(String(identity, radix: 16))" : ""
        return Names(full: full, ofProtocol: parts.joined(separator: "::") + suffix)
    }
}

/// Durations as the C interface has them.
enum Milliseconds {
    /// A time limit, rounded up; `nil` and what is beyond seven weeks is no limit. A negative one has passed.
    static func limit(_ duration: Duration?) -> UInt32 {
        guard let duration else { return PEAL_FOREVER }
        let (seconds, attoseconds) = duration.components
        if seconds < 0 || attoseconds < 0 { return 0 }
        if seconds >= Int64(PEAL_FOREVER / 1000) { return PEAL_FOREVER }
        return UInt32(seconds) * 1000 + UInt32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

extension Duration {
    /// In nanoseconds, as timers count. A longer duration becomes their greatest value.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isStillTooLong) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooLong || isStillTooLong ? (seconds < 0 ? .min : .max) : sum
    }
}
