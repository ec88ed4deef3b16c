internal import CPeal

/// Names on their way to C.
enum NameList {
    /// Refuses a text that C would take for a shorter one.
    static func check(_ name: String, is what: String) throws(PealError) {
        guard name.utf8.contains(0) else { return }
        let visible = name.split(separator: "\0", omittingEmptySubsequences: false).joined(separator: "\\0")
        throw PealError(
            status: .argument, message: "\(what) '\(visible)' has a zero byte in it: leave that out")
    }

    /// Calls a body with names as C reads lists of them: pointers, ended by NULL.
    static func with<Result>(
        _ names: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) throws(PealError) -> Result
    ) throws(PealError) -> Result {
        var text: [CChar] = []
        var starts: [Int] = []
        for name in names {
            starts.append(text.count)
            text += name.utf8CString
        }
        // The pointers are to lie in one piece of memory that does not move.
        let characters = UnsafeMutableBufferPointer<CChar>.allocate(capacity: max(text.count, 1))
        let pointers = UnsafeMutableBufferPointer<UnsafePointer<CChar>?>.allocate(capacity: names.count + 1)
        defer {
            characters.deallocate()
            pointers.deallocate()
        }
        _ = characters.initialize(fromContentsOf: text)
        for (index, start) in starts.enumerated() {
            pointers.initializeElement(at: index, to: UnsafePointer(characters.baseAddress! + start))
        }
        pointers.initializeElement(at: names.count, to: nil)
        return try body(UnsafePointer(pointers.baseAddress!))
    }
}

extension String {
    /// A text that C keeps in an array of characters.
    init<Characters: BitwiseCopyable>(pealArray characters: Characters) {
        self = withUnsafeBytes(of: characters) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// The same where nothing means none.
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
