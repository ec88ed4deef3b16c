/// How a protocol's table lies in memory: its size in bytes, a pointer to the table of each adopted
/// protocol, a function for each own method. All are words of eight bytes.
enum TableLayout {
    static let word = 8

    static func size(adoptedCount: Int, methodCount: Int) -> Int {
        word * (1 + adoptedCount + methodCount)
    }

    static func adoptedOffset(_ index: Int) -> Int {
        word * (1 + index)
    }

    static func methodOffset(_ rank: Int, adoptedCount: Int) -> Int {
        word * (1 + adoptedCount + rank)
    }
}
