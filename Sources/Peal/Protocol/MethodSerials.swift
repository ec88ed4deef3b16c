internal import Synchronization

/// Small numbers for methods, by which caches find them. Each method of a protocol type has one, however often its
/// declaration is made.
enum MethodSerials {
    private struct Key: Hashable {
        let owner: ObjectIdentifier
        let name: String
    }

    private static let numbers = Mutex<[Key: Int]>([:])

    static func number(of owner: any PealProtocol.Type, _ name: String) -> Int {
        let key = Key(owner: ObjectIdentifier(owner), name: name)
        return numbers.withLock { numbers in
            let number = numbers[key] ?? numbers.count
            numbers[key] = number
            return number
        }
    }
}
