public import PealCall

/// A protocol as its author describes it, before it is in a center.
public struct ProtocolDescription: Sendable {
    /// A method as text or as an Objective-C encoding.
    public enum MethodSource: Sendable {
        case text(String)
        case encoding(name: String, types: String, MethodDeclaration.Requirement)
    }

    public var name: String
    public var adopts: [String]
    public var methods: [MethodSource]
    /// The size of the author's table struct in bytes, or nil where there is none.
    public var tableSize: Int?

    public init(name: String, adopts: [String] = [], methods: [MethodSource], tableSize: Int? = nil) {
        self.name = name
        self.adopts = adopts
        self.methods = methods
        self.tableSize = tableSize
    }

    /// Reads the methods' texts and checks what can be checked without a center.
    func declarations(in types: TypeScope) throws(Failure) -> [MethodDeclaration] {
        try checkName()
        var declarations: [MethodDeclaration] = []
        var names: Set<String> = []
        for (index, source) in methods.enumerated() {
            let declaration = try read(source, at: index, in: types)
            let name = declaration.signature.name
            guard names.insert(name).inserted else {
                throw Failure(
                    .conflict,
                    "protocol \(self.name): method \(name) is declared twice; give each method a name of its own")
            }
            if let before = declarations.last, before.since > declaration.since {
                throw Failure(
                    .syntax,
                    "protocol \(self.name): method \(name) is since(\(declaration.since)) but follows \(before.signature.name), which is since(\(before.since)); append new methods at the end"
                )
            }
            declarations.append(declaration)
        }
        try checkTableSize(methodCount: declarations.count)
        return declarations
    }

    static let longestName = 255

    private func checkName() throws(Failure) {
        guard !name.isEmpty, name.utf8.count <= Self.longestName else {
            throw Failure(
                .argument, "a protocol's name has 1 to \(Self.longestName) bytes; this one has \(name.utf8.count)")
        }
        try CallerText.checkName(name.utf8, "a protocol's name")
        guard !name.contains(".") else {
            throw Failure(
                .argument,
                "protocol \(name): its name must not have a dot, which separates a protocol's name from a method's")
        }
    }

    private func read(
        _ source: MethodSource, at index: Int, in types: TypeScope
    ) throws(Failure) -> MethodDeclaration {
        let subject = "protocol \(name), method \(index + 1)"
        do throws(SyntaxError) {
            switch source {
            case .text(let text):
                return try MethodDeclaration(text, in: types)
            case .encoding(let name, let encoding, let requirement):
                return try MethodDeclaration(requirement, objCName: name, encoding: encoding, in: types)
            }
        } catch {
            throw Failure(error, in: subject)
        }
    }

    private func checkTableSize(methodCount: Int) throws(Failure) {
        guard let tableSize else { return }
        let expected = TableLayout.size(adoptedCount: adopts.count, methodCount: methodCount)
        guard tableSize == expected else {
            throw Failure(
                .conformance,
                "protocol \(name): the table has \(tableSize) bytes, but a size, \(adopts.count) adopted tables and \(methodCount) functions take \(expected)"
            )
        }
    }
}
