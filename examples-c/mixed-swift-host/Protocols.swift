import Peal

// The protocols of house.h. peal compares the definitions: the second one must agree with the first.

enum Heating: PealProtocol {
    static let name = "Heating"
    static let onTarget = Method<Void, String, Double>("on_target", parameters: "room", "celsius", isRequired: true)
    static let methods: [any MethodDeclaration] = [onTarget]
}

enum Thermometer: PealProtocol {
    static let name = "Thermometer"
    static let onReading = Method<Void, String, Double>("on_reading", parameters: "room", "celsius", isRequired: true)
    static let methods: [any MethodDeclaration] = [onReading]
}
