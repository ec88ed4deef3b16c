public import PealCall

/// Descriptions of types, and canonical texts. Each is made from the scope of the center, under its lock: a copy of the
/// scope would make the next declaration copy all names.
extension Center {
    public func describe(_ type: String) throws(Failure) -> TypeGraph {
        try withState { (state) throws(Failure) in
            do throws(SyntaxError) {
                return TypeGraph(try state.types.type(type), in: state.types)
            } catch {
                throw Failure(error, in: "type")
            }
        }
    }

    /// The names of all declared types, in no order.
    public func typeNames() throws(Failure) -> [String] {
        try withState { (state) throws(Failure) in state.types.declaredNames }
    }
}

extension Method {
    public func typeGraph() throws(Failure) -> TypeGraph {
        try owner.center.withState { (state) throws(Failure) in TypeGraph(declaration.signature, in: state.types) }
    }

    public func canonicalText() throws(Failure) -> String {
        try owner.center.withState { (state) throws(Failure) in
            var text = CanonicalText(in: state.types)
            text.add(declaration)
            return text.text
        }
    }
}

extension PealProtocol {
    /// Ancestors come first, in an order that does not depend on how the protocols grew.
    public func canonicalText() throws(Failure) -> String {
        try center.withState { (state) throws(Failure) in
            var text = CanonicalText(in: state.types)
            for method in (ancestors + [self]).flatMap({ state[$0].own }) { text.add(method.declaration) }
            return "protocol \(name)\n\(text.text)"
        }
    }
}
