/// What a module is, as its author says.
public struct ModuleDescription {
    /// The second is a `peal_step_memory`. What it returns is the interface's to read.
    public typealias Step = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Int32
    public typealias Release = @convention(c) (UnsafeMutableRawPointer?) -> Void

    /// What a step's return value means.
    public enum Meaning: Sendable {
        case done, deferred
        /// In words.
        case failed(String)
    }

    public var name: String
    public var className: String?
    public var dependencies: [String] = []
    /// C tables, each with the name of its protocol.
    public var tables: [(proto: String, table: UnsafeRawPointer)] = []
    public var service: String?
    public var priority: Int32 = 0
    /// Of each step, in milliseconds; the largest number never passes.
    public var timeout: UInt32 = defaultTimeout
    /// Where its steps and events run; nil: on the thread of whoever starts, stops and broadcasts.
    public var queue: Queue?
    public var context: UnsafeMutableRawPointer?
    public var start: Step?
    public var stop: Step?
    public var release: Release?
    public var owner: Owner?
    public let meaning: @Sendable (Int32) -> Meaning

    public init(name: String, meaning: @escaping @Sendable (Int32) -> Meaning) {
        self.name = name
        self.meaning = meaning
    }

    public static var defaultTimeout: UInt32 { 10_000 }
    static var longestName: Int { 255 }
    static var mostDependencies: Int { 65_536 }

    /// Checks what can be checked without a center. Each dependency counts once.
    func checkedDependencies() throws(Failure) -> [String] {
        try check(name, "the name of a module")
        if let className { try check(className, "the class of module \(name)") }
        guard dependencies.count <= Self.mostDependencies else {
            throw Failure(.limit, "module \(name) has \(dependencies.count) dependencies; \(Self.mostDependencies) at most")
        }
        var known: Set<String> = []
        var unique: [String] = []
        for dependency in dependencies {
            try check(dependency, "a dependency of module \(name)")
            guard dependency != name else { throw Failure(.cycle, "module \(name) needs itself; take it out of its dependencies") }
            if known.insert(dependency).inserted { unique.append(dependency) }
        }
        return unique
    }

    private func check(_ text: String, _ what: String) throws(Failure) {
        guard !text.isEmpty, text.utf8.count <= Self.longestName else {
            throw Failure(.argument, "\(what) has \(text.utf8.count) bytes; it needs 1 to \(Self.longestName)")
        }
    }
}
