import PealCall

/// The description of a module by its author.
public struct ModuleDescription {
    /// The second parameter is a `peal_module_step`. The interface reads the result.
    public typealias Step = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Int32
    public typealias Release = @convention(c) (UnsafeMutableRawPointer?) -> Void

    /// The meaning of a step's return value.
    public enum Meaning: Sendable {
        case done, deferred
        /// The sentence of the failure.
        case failed(String)
    }

    public var name: String
    public var className: String?
    public var dependencies: [String] = []
    /// Tables of C functions, each with the name of its protocol.
    public var tables: [(proto: String, table: UnsafeRawPointer)] = []
    public var service: String?
    public var priority: Int32 = 0
    /// The time limit of each step, in milliseconds. The largest number is no limit.
    public var timeout: UInt32 = defaultTimeout
    /// The queue of its steps and events. Without one they run on the thread that starts, stops or broadcasts.
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
    static var maximumDependencies: Int { 65_536 }

    /// Checks the names. The result has each dependency once.
    func checkedDependencies() throws(Failure) -> [String] {
        try check(name, "the name of a module")
        if let className { try check(className, "the class of module \(name)") }
        guard dependencies.count <= Self.maximumDependencies else {
            throw Failure(
                .limit, "module \(name) has \(dependencies.count) dependencies; \(Self.maximumDependencies) at most")
        }
        var known: Set<String> = []
        var unique: [String] = []
        for dependency in dependencies {
            try check(dependency, "a dependency of module \(name)")
            guard dependency != name else {
                throw Failure(.cycle, "module \(name) depends on itself; remove it from its dependencies")
            }
            if known.insert(dependency).inserted { unique.append(dependency) }
        }
        return unique
    }

    private func check(_ text: String, _ what: String) throws(Failure) {
        guard !text.isEmpty, text.utf8.count <= Self.longestName else {
            throw Failure(.argument, "\(what) has \(text.utf8.count) bytes; it needs 1 to \(Self.longestName)")
        }
        try CallerText.checkName(text.utf8, what)
    }

    /// Reads the tables, and checks them against their protocols.
    func readTables(in center: Center) throws(Failure) -> [Module.Table] {
        var read: [Module.Table] = []
        for (protoName, table) in self.tables {
            let proto = try center.findProtocol(protoName)
            guard !read.contains(where: { $0.proto == proto }) else {
                throw Failure(.argument, "module \(name) has two tables for \(protoName); give one")
            }
            var registration = Registration(proto: proto, target: nil, functions: .table(table))
            registration.queue = queue
            let hasQueue = queue != nil
            read.append(
                try center.withState { (state) throws(Failure) in
                    let functions = try state.readFunctions(of: registration)
                    let (notified, queried) =
                        hasQueue ? try ModuleQuery.split(functions, of: proto, in: state) : (functions, nil)
                    return Module.Table(proto: proto, functions: functions, notified: notified, queried: queried)
                })
        }
        return read
    }
}
