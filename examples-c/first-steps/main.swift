// The program of the article "First steps".
import Peal

enum Chat: PealProtocol {
    static let onMessage = Method<Void, String, String>("on_message", parameters: "who", "text")
    static let methods: [any MethodDeclaration] = [onMessage]
}

let center = Center.default

let ann = try center.observe(Chat.onMessage) { who, text in
    print("Ann reads: \(who) says \(text)")
}

try center.broadcast(Chat.onMessage, "Eve", "hello")

do {
    _ = try center.anyService(named: "archive")
} catch {
    print("\(error.status): \(error.message)")
}
