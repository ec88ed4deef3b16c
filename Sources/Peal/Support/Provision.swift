internal import CPeal

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

/// Provisions on their way to C. peal copies them, so they need to last for one call alone.
enum ProvisionList {
    static func with<Result>(
        _ provisions: [Provision], _ body: (UnsafePointer<peal_provision>) throws(PealError) -> Result
    ) throws(PealError) -> Result {
        for provision in provisions { try CStrings.check(provision.protocolName, is: "the protocol's name") }
        let words = provisions.flatMap(\.words)
        let tables = UnsafeMutableBufferPointer<UInt>.allocate(capacity: max(1, words.count))
        let list = UnsafeMutableBufferPointer<peal_provision>.allocate(capacity: provisions.count + 1)
        defer {
            tables.deallocate()
            list.deallocate()
        }
        _ = tables.initialize(fromContentsOf: words)
        return try CStrings.withList(provisions.map(\.protocolName)) { names throws(PealError) in
            var offset = 0
            for (index, provision) in provisions.enumerated() {
                let table = UnsafeRawPointer(tables.baseAddress! + offset)
                list.initializeElement(at: index, to: peal_provision(protocol: names[index], table: table))
                offset += provision.words.count
            }
            list.initializeElement(at: provisions.count, to: peal_provision(protocol: nil, table: nil))
            return try body(UnsafePointer(list.baseAddress!))
        }
    }
}

/// A service or a module that another one needs, by its name or its type.
///
/// ```swift
/// try center.register(AccountService.self, dependencies: [.type(Database.self), "network"]) { … }
/// ```
public struct Dependency: ExpressibleByStringLiteral, Hashable, Sendable {
    /// The name of the service or the module.
    public let name: String

    /// A dependency with this name.
    public init(named name: String) { self.name = name }

    /// A dependency with this name: `"network"` in a list of dependencies.
    public init(stringLiteral name: String) { self.name = name }

    /// A dependency with this name.
    public static func named(_ name: String) -> Dependency { Dependency(named: name) }

    /// A dependency of this type without a name of its own.
    public static func type<Instance>(_ type: Instance.Type) -> Dependency {
        Dependency(named: TypeName.of(type))
    }
}
