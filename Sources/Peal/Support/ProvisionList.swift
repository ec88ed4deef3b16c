internal import CPeal

/// Provisions on their way to C. peal copies them, so they need to last for one call alone.
enum ProvisionList {
    static func with<Result>(
        _ provisions: [Provision], _ body: (UnsafePointer<peal_provision>) throws(PealError) -> Result
    ) throws(PealError) -> Result {
        for provision in provisions { try NameList.check(provision.protocolName, is: "the protocol's name") }
        let words = provisions.flatMap(\.words)
        let tables = UnsafeMutableBufferPointer<UInt>.allocate(capacity: max(1, words.count))
        let list = UnsafeMutableBufferPointer<peal_provision>.allocate(capacity: provisions.count + 1)
        defer {
            tables.deallocate()
            list.deallocate()
        }
        _ = tables.initialize(fromContentsOf: words)
        return try NameList.with(provisions.map(\.protocolName)) { names throws(PealError) in
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
