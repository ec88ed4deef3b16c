/// The types that are known by name: those of the C library, and those declared in this scope.
///
/// A scope is a value: changes of a copy do not affect the original.
public struct TypeScope: Sendable {
    /// The content of the single name space of tags.
    enum Tag: Sendable {
        /// A structure without a body was only announced: `struct point;`.
        case structure(StructureBody?, Structure.Kind)
        case enumeration(Enumeration)
    }

    private(set) var tags: [String: Tag] = [:]
    private(set) var typedefs: [String: Alias] = [:]
    private(set) var constants: [String: Int128] = [:]
    /// The functions that capture pointed-to values, by the spelling of the value's type.
    public private(set) var hooks: [String: TypeHooks] = [:]
    /// The codecs of some of these types.
    public private(set) var codecs: [String: TypeCodec] = [:]

    /// A name that a declaration gave a meaning, and the meaning that it had before.
    private enum Change: Sendable {
        case tag(String, former: Tag?)
        case typedef(String, former: Alias?)
        case constant(String, former: Int128?)
    }

    /// The changes of the text that is being read.
    private var changes: [Change]?

    public init() {}

    /// Adds one or more C declarations: structs, enums and typedefs.
    ///
    /// Declaring a type again in the same way changes nothing. When any part of the text is refused, nothing of it is
    /// declared.
    ///
    /// The cost grows with the text, not with the existing declarations: the names are not copied.
    public mutating func declare(_ text: String) throws(SyntaxError) {
        var parser = DeclarationParser(text, scope: self, longest: SyntaxLimits.declarationBytes)
        // The parser has the only copy now, so it changes the dictionaries in place.
        self = TypeScope()
        parser.scope.changes = []
        defer { self = parser.scope }
        do throws(SyntaxError) {
            try parser.parseDeclarations()
        } catch {
            parser.scope.undo()
            throw error
        }
        parser.scope.changes = nil
    }

    /// Size and alignment of a type by value: `struct point`, `id_t`, `int[4]`.
    public func layout(of typeText: String) throws(SyntaxError) -> Layout {
        var parser = DeclarationParser(typeText, scope: self)
        return try parser.parseLayout()
    }

    /// The type that a text denotes, for example `const char *`. Structs in it have their members.
    public func type(_ typeText: String) throws(SyntaxError) -> CType {
        var parser = DeclarationParser(typeText, scope: self)
        return try parser.parseWholeType()
    }

    /// Typedefs of this scope have precedence over the names of the C library.
    func alias(named name: String) -> Alias? { typedefs[name] ?? StandardTypes.alias(named: name) }

    /// The alias that `alias(named:)` finds, as a type.
    func type(named name: String) -> CType? { typedefs[name].map { .alias($0) } ?? StandardTypes.type(named: name) }

    private var isFull: Bool {
        tags.count + typedefs.count + constants.count + hooks.count >= SyntaxLimits.scopeNames
    }

    private static var full: String { "more than \(SyntaxLimits.scopeNames) names are declared" }

    /// Adds a name. If the scope is full, this function and the others of its name add nothing and return the message.
    mutating func add(_ tag: Tag, named name: String) -> String? {
        if tags[name] == nil, isFull { return TypeScope.full }
        let former = tags.updateValue(tag, forKey: name)
        changes?.append(.tag(name, former: former))
        return nil
    }

    mutating func add(_ alias: Alias) -> String? {
        if isFull { return TypeScope.full }
        let former = typedefs.updateValue(alias, forKey: alias.name)
        changes?.append(.typedef(alias.name, former: former))
        return nil
    }

    mutating func add(constant name: String, _ value: Int128) -> String? {
        if isFull { return TypeScope.full }
        let former = constants.updateValue(value, forKey: name)
        changes?.append(.constant(name, former: former))
        return nil
    }

    /// Undoes the changes of a refused text, the last first.
    private mutating func undo() {
        for change in (changes ?? []).reversed() {
            switch change {
            case .tag(let name, let former): tags[name] = former
            case .typedef(let name, let former): typedefs[name] = former
            case .constant(let name, let former): constants[name] = former
            }
        }
        changes = nil
    }

    mutating func add(_ hooks: TypeHooks, for name: String) -> String? {
        if isFull { return TypeScope.full }
        self.hooks[name] = hooks
        return nil
    }

    mutating func removeHooks(for name: String) -> TypeHooks? {
        codecs.removeValue(forKey: name)
        return hooks.removeValue(forKey: name)
    }

    mutating func store(_ codec: TypeCodec?, for name: String) {
        codecs[name] = codec
    }

    /// Type names that can be suggested for an unknown one. Only some of very many typedefs are included, so that a
    /// mistake does not cost a search through all of them.
    var typeNames: [String] {
        Array(typedefs.keys.prefix(SyntaxLimits.suggestions)) + StandardTypes.fixed.keys + StandardTypes.customary.keys
            + HandleType.allCases.map { $0.rawValue }
            + Vocabulary.arithmeticWords.keys.filter { !$0.hasPrefix("_") } + Vocabulary.tags + ["const", "volatile"]
    }

    /// Tags of one kind that can be suggested for an unknown one.
    func tagNames(_ kind: Structure.Kind) -> [String] {
        tags.prefix(SyntaxLimits.suggestions).compactMap { name, tag in
            if case .structure(.some, kind) = tag { name } else { nil }
        }
    }
}
