import Peal

// The protocols of house.h. They are checked against it: whoever comes second has to agree.

enum Heating: PealProtocol {
    static let onTarget = Method<Void, String, Double>("on_target", parameters: "room", "celsius", isRequired: true)
    static let methods: [any MethodDeclaration] = [onTarget]
}

enum Thermometer: PealProtocol {
    static let onReading = Method<Void, String, Double>("on_reading", parameters: "room", "celsius", isRequired: true)
    static let methods: [any MethodDeclaration] = [onReading]
}
