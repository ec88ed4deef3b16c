/// Finds the name that the author may have meant.
public enum NearestName {
    /// The closest of `candidates` within a third of the word's length. Ties go to the name with the
    /// same first letter, and then to the one that sorts first, so that a message does not change from
    /// run to run.
    public static func find(_ word: String, in candidates: [String]) -> String? {
        let pattern = Pattern(word)
        var best: (distance: Int, change: Int, name: String)?
        for name in candidates where name != word && !name.isEmpty {
            let length = name.utf8.count
            let allowed = max(1, max(length, pattern.length) / 3)
            guard length <= Pattern.longest, abs(length - pattern.length) <= allowed else { continue }
            let distance = pattern.distance(to: name)
            // Two names that share only their length are not similar.
            guard distance <= allowed, distance < min(length, pattern.length) else { continue }
            let candidate = (distance: distance, change: name.utf8.first == word.utf8.first ? 0 : 1, name: name)
            if let best, best <= candidate { continue }
            best = candidate
        }
        return best?.name
    }

    /// Finds nothing among very many names: programs also look for names that they expect to be unknown.
    public static func find(_ word: String, among count: Int, in candidates: @autoclosure () -> [String]) -> String? {
        count <= 500 ? find(word, in: candidates()) : nil
    }
}

/// The first 64 bytes of a word, as a mask for each byte: where the word has it.
private struct Pattern {
    static let longest = 64

    let length: Int
    private var masks = [UInt64](repeating: 0, count: 256)

    init(_ word: String) {
        length = min(word.utf8.count, Self.longest)
        for (i, byte) in word.utf8.prefix(Self.longest).enumerated() { masks[Int(byte)] |= 1 << UInt64(i) }
    }

    /// Insertions, deletions, replacements and swaps of neighbours that turn one name into the other: a column of the
    /// table of distances at a time, in a word (Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau
    /// edit distances", 2003). `rises` and `falls` are the differences of neighbours in the column.
    func distance(to name: String) -> Int {
        guard length > 0 else { return name.utf8.count }
        let last: UInt64 = 1 << UInt64(length - 1)
        var (rises, falls, diagonal, before) = (~UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        var distance = length
        for byte in name.utf8 {
            let mask = masks[Int(byte)]
            let swaps = ((~diagonal & mask) << 1) & before
            diagonal = (((mask & rises) &+ rises) ^ rises) | mask | falls | swaps
            let right = falls | ~(diagonal | rises)
            let left = diagonal & rises
            if right & last != 0 { distance += 1 } else if left & last != 0 { distance -= 1 }
            let shifted = right << 1 | 1
            rises = left << 1 | ~(diagonal | shifted)
            falls = shifted & diagonal
            before = mask
        }
        return distance
    }
}
