/// The types that are known by name: those of the C library, and those declared here.
///
/// A value: a copy may be changed without the original noticing.
public struct TypeScope: Sendable {
    /// What the one name space of tags holds.
    enum Tag: Sendable {
        /// Without a body the struct was only announced: `struct point;`.
        case structure(StructureBody?)
        case enumeration(Enumeration)
        case union
    }

    private(set) var tags: [String: Tag] = [:]
    private(set) var typedefs: [String: Alias] = [:]
    private(set) var constants: [String: Int128] = [:]
    /// How what is behind a pointer is captured, by the spelling of its type.
    public private(set) var hooks: [String: TypeHooks] = [:]

    public init() {}

    /// Makes known what one or more C declarations say: structs, enums and typedefs.
    ///
    /// Declaring a thing again in the same way changes nothing. When any part of the text is refused,
    /// nothing of it is declared.
    public mutating func declare(_ text: String) throws(SyntaxError) {
        var parser = DeclarationParser(text, scope: self)
        try parser.parseDeclarations()
        self = parser.scope
    }

    /// Size and alignment of a type by value: `struct point`, `id_t`, `int[4]`.
    public func layout(of typeText: String) throws(SyntaxError) -> Layout {
        var parser = DeclarationParser(typeText, scope: self)
        return try parser.parseLayout()
    }

    /// The type that a text without a name spells; structs in it have their members.
    public func type(_ typeText: String) throws(SyntaxError) -> CType {
        var parser = DeclarationParser(typeText, scope: self)
        return try parser.parseWholeType()
    }

    /// Typedefs declared here go before the library's names.
    func alias(named name: String) -> Alias? { typedefs[name] ?? StandardTypes.alias(named: name) }

    private var isFull: Bool {
        tags.count + typedefs.count + constants.count + hooks.count >= SyntaxLimits.scopeNames
    }

    private static var full: String { "more than \(SyntaxLimits.scopeNames) names are declared" }

    /// The following add a name, or say why not; then nothing is added.
    mutating func add(_ tag: Tag, named name: String) -> String? {
        if tags[name] == nil, isFull { return TypeScope.full }
        tags[name] = tag
        return nil
    }

    mutating func add(_ alias: Alias) -> String? {
        if isFull { return TypeScope.full }
        typedefs[alias.name] = alias
        return nil
    }

    mutating func add(constant name: String, _ value: Int128) -> String? {
        if isFull { return TypeScope.full }
        constants[name] = value
        return nil
    }

    mutating func add(_ hooks: TypeHooks, for name: String) -> String? {
        if isFull { return TypeScope.full }
        self.hooks[name] = hooks
        return nil
    }

    mutating func removeHooks(for name: String) -> TypeHooks? {
        hooks.removeValue(forKey: name)
    }

    /// Type names that could have been meant by an unknown one. Where very many are declared, a mistake
    /// must not cost a search through all of them.
    var typeNames: [String] {
        Array(typedefs.keys.prefix(SyntaxLimits.suggestions)) + StandardTypes.fixed.keys + StandardTypes.customary.keys
            + Vocabulary.arithmeticWords.keys.filter { !$0.hasPrefix("_") } + Vocabulary.tags + ["const", "volatile"]
    }

    /// Tags of one kind of type that could have been meant by an unknown one.
    func tagNames(structures: Bool) -> [String] {
        tags.prefix(SyntaxLimits.suggestions).compactMap { name, tag in
            guard case .structure(let body) = tag else { return structures ? nil : name }
            return structures && body != nil ? name : nil
        }
    }
}
