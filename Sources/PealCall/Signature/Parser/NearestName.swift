/// Finds the name that the author may have meant.
public enum NearestName {
    /// The closest of `candidates` within a third of the word's length. Ties go to the name with the
    /// same first letter, and then to the one that sorts first, so that a message does not change from
    /// run to run.
    public static func find(_ word: String, in candidates: [String]) -> String? {
        let bytes = Array(word.utf8.prefix(longest))
        var best: (distance: Int, change: Int, name: String)?
        for name in candidates where name != word && !name.isEmpty {
            let length = name.utf8.count
            let allowed = max(1, max(length, bytes.count) / 3)
            guard length <= longest, abs(length - bytes.count) <= allowed else { continue }
            let distance = distance(bytes, Array(name.utf8))
            // Two names that share only their length are not similar.
            guard distance <= allowed, distance < min(length, bytes.count) else { continue }
            let candidate = (distance: distance, change: name.utf8.first == bytes.first ? 0 : 1, name: name)
            if let best, best <= candidate { continue }
            best = candidate
        }
        return best?.name
    }

    private static let longest = 64

    /// Insertions, deletions, replacements and swaps of neighbours that turn one name into the other.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var older: [Int] = []
        var previous = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var current = [i + 1]
            for (j, b) in right.enumerated() {
                var value = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (a == b ? 0 : 1))
                if i > 0, j > 0, a == right[j - 1], left[i - 1] == b { value = min(value, older[j - 1] + 1) }
                current.append(value)
            }
            (older, previous) = (previous, current)
        }
        return previous[right.count]
    }
}
