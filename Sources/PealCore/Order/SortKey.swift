/// The position of an element among others: in ascending order of the first word, then of the second one.
struct SortKey: BitwiseCopyable {
    let first: UInt64
    let second: UInt64

    init(_ first: UInt64, _ second: UInt64 = 0) {
        self.first = first
        self.second = second
    }

    /// In descending order of the first word, then of the second one.
    static func descending(_ first: UInt64, _ second: UInt64 = 0) -> SortKey { SortKey(~first, ~second) }

    /// The indices of elements in the order of their keys.
    @inline(never)
    fileprivate static func order(count: Int, _ key: (Int) -> SortKey) -> [Int] {
        let keys = (0..<count).map(key)
        var order = Array(keys.indices)
        order.sort { left, right in
            let (own, other) = (keys[left], keys[right])
            if own.first != other.first { return own.first < other.first }
            return own.second != other.second ? own.second < other.second : left < right
        }
        return order
    }
}

extension Collection {
    /// The elements in the order of their keys. Elements with equal keys keep their order.
    ///
    /// All types share one sort, because the standard library's is compiled for each type, to 1,500 bytes.
    func ordered(by key: (Element) -> SortKey) -> [Element] {
        let elements = Array(self)
        return SortKey.order(count: elements.count) { key(elements[$0]) }.map { elements[$0] }
    }
}
