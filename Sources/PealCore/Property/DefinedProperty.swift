/// A property of a center, and for which owners it was defined; zero stands for nobody.
struct DefinedProperty {
    let property: Property
    var definers: Set<UInt64> = []
}
