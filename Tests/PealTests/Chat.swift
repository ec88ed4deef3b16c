import Peal

/// The protocol that most tests use.
enum Chat: PealProtocol {
    static let name = "Chat"
    static let onMessage = Method<Void, String, Int32>("on_message", parameters: "room", "count")
    static let onNumber = Method<Void, Int32>("on_number", parameters: "number")
    static let onClose = Method<Void>("on_close")
    static let mayClose = Method<Bool>("may_close", policy: .every)
    static let votes = Method<Int32, String>("votes", parameters: "room", policy: .sum)

    static let methods: [any MethodDeclaration] = [onMessage, onNumber, onClose, mayClose, votes]
}
