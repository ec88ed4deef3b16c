// The first program: a protocol, two observers, a broadcast.
import Peal

enum Chat: PealProtocol {
    static let name = "Chat"
    static let onMessage = Method<Void, String, String>("on_message", parameters: "room", "text")
    static let onClose = Method<Void>("on_close")
    static let methods: [any MethodDeclaration] = [onMessage, onClose]
}

let center = Center.default
let observations = try ["Ann", "Bob"].map { name in
    try center.observe(Chat.onMessage) { room, text in
        print("\(name) in \(room): \(text)")
    }
}
try center.broadcast(Chat.onMessage, "lobby", "good morning")
try center.broadcast(Chat.onClose)
