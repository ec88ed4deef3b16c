/// Swift strings as C has them.
enum CStrings {
    /// Refuses a text with a zero byte, which C would take for its end.
    static func check(_ name: String, is what: String) throws(PealError) {
        guard name.utf8.contains(0) else { return }
        let visible = name.split(separator: "\0", omittingEmptySubsequences: false).joined(separator: "\\0")
        throw PealError(
            status: .argument, message: "\(what) '\(visible)' has a zero byte in it: leave that out")
    }

    /// Lends a list of strings, ended by NULL, for a call.
    static func withList<Result, Failure: Error>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var characters: [CChar] = []
        var starts: [Int] = []
        for string in strings {
            starts.append(characters.count)
            characters.append(contentsOf: string.utf8CString)
        }
        return try characters.withUnsafeBufferPointer { (characters) throws(Failure) -> Result in
            let list: [UnsafePointer<CChar>?] = starts.map { characters.baseAddress! + $0 } + [nil]
            return try list.withUnsafeBufferPointer { (list) throws(Failure) -> Result in try body(list.baseAddress!) }
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
