// Uses the declarations that peal-declarations generates from headers of the examples.
import Peal

@main enum Program {
    static func main() throws {
        let center = try Center()
        for type in [Heating.self, Thermometer.self, Units.self, Journal.self, Filter.self] as [any PealProtocol.Type] {
            try center.define(type)
            for method in type.methods { print("\(type.name): \(method.signature.text)") }
        }
        // The result of a method with a policy is one value.
        let observation = try center.observe(Filter.wants) { $0 == "kept" }
        if try center.ask(Filter.wants, "kept") { print("all held") }
        observation.cancel()
    }
}
