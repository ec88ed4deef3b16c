/// Swift strings as C has them.
enum CStrings {
    /// Lends a list of strings, ended by NULL, for a call.
    static func withList<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        var characters: [CChar] = []
        var starts: [Int] = []
        for string in strings {
            starts.append(characters.count)
            characters.append(contentsOf: string.utf8CString)
        }
        return characters.withUnsafeBufferPointer { characters in
            let list: [UnsafePointer<CChar>?] = starts.map { characters.baseAddress! + $0 } + [nil]
            return list.withUnsafeBufferPointer { body($0.baseAddress!) }
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

    /// A list of handles that the C interface copies into a buffer; they may become more meanwhile.
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
