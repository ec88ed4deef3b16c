/// A protocol that a service provides, or a module takes part in, with the C functions that implement it.
///
/// The table is the struct that the protocol's list macro made, imported into Swift. Its first member, the
/// size, is filled in where it is zero:
///
/// ```swift
/// var table = counter()
/// table.next = { pointer in swiftInstance(of: Counter.self, at: pointer)?.next() ?? 0 }
/// try center.register(Counter.self, provides: [Provision("Counter", table)]) { _ in Counter() }
/// ```
///
/// The C interface's `struct peal_provision`.
public struct Provision: Sendable {
    /// The protocol's name.
    public let protocolName: String
    /// The table, word by word, as a table is a size and pointers.
    let words: [UInt]

    /// A protocol and its table.
    ///
    /// - Parameters:
    ///   - protocolName: The protocol's name. It must be defined when this is registered.
    ///   - table: *Copied*. Each function must take the prototype that the protocol declares; `self` comes first.
    public init<Table: BitwiseCopyable>(_ protocolName: String, _ table: Table) {
        self.protocolName = protocolName
        let size = MemoryLayout<Table>.size
        var words = [UInt](repeating: 0, count: max(1, (size + MemoryLayout<UInt>.size - 1) / MemoryLayout<UInt>.size))
        words.withUnsafeMutableBytes { memory in
            withUnsafeBytes(of: table) { memory.copyMemory(from: $0) }
        }
        if words[0] == 0 { words[0] = UInt(size) }
        self.words = words
    }
}
