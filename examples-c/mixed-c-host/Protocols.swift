import Peal

// The protocols of talk.h. peal compares the definitions: the second one must agree with the first.

enum Chat: PealProtocol {
    static let name = "Chat"
    static let onMessage = Method<Void, String, String>("on_message", parameters: "name", "text", isRequired: true)
    static let methods: [any MethodDeclaration] = [onMessage]
}

enum Moderator: PealProtocol {
    static let name = "Moderator"
    static let onWarning = Method<Void, String, Int32>("on_warning", parameters: "name", "warnings", isRequired: true)
    static let methods: [any MethodDeclaration] = [onWarning]
}
