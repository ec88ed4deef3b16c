/// Values by protocol, for a protocol and those that it adopts: most families have one member, so a search is shorter than
/// a hash.
struct ProtocolMap<Value> {
    fileprivate struct Element {
        let key: PealProtocol
        /// Nil while a value is set or changed.
        var value: Value?
    }

    fileprivate var elements: [Element] = []

    subscript(proto: PealProtocol) -> Value? {
        get { index(of: proto).flatMap { elements[$0].value } }
        _modify {
            let index = index(of: proto) ?? elements.count
            if index == elements.count { elements.append(Element(key: proto, value: nil)) }
            yield &elements[index].value
            if elements[index].value == nil { elements.remove(at: index) }
        }
    }

    /// The values in the order of the protocols' ids.
    var ordered: [Value] { elements.ordered { SortKey($0.key.id) }.compactMap { $0.value } }

    func mapValues<Mapped>(_ transform: (Value) -> Mapped) -> ProtocolMap<Mapped> {
        var mapped = ProtocolMap<Mapped>()
        mapped.elements = elements.map { ProtocolMap<Mapped>.Element(key: $0.key, value: $0.value.map(transform)) }
        return mapped
    }

    private func index(of proto: PealProtocol) -> Int? { elements.firstIndex { $0.key === proto } }
}

extension ProtocolMap: Sendable where Value: Sendable {}
extension ProtocolMap.Element: Sendable where Value: Sendable {}
