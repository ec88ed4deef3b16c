// The program of the article "First steps".
import Peal

enum Chat: PealProtocol {
    static let onMessage = Method<Void, String, String>("on_message", parameters: "who", "text")
    static let mayEnter = Method<Bool, String>("may_enter", parameters: "who", policy: .every)
    static let methods: [any MethodDeclaration] = [onMessage, mayEnter]
}

let center = Center.default

let ann = try center.observe(Chat.onMessage) { who, text in
    print("Ann reads: \(who) says \(text)")
}

try center.broadcast(Chat.onMessage, "Eve", "hello")

let doorman = try center.observe(Chat.mayEnter) { who in who != "Mallory" }
let mayEnter = try center.ask(Chat.mayEnter, "Mallory")
print("Mallory \(mayEnter ? "comes in" : "stays outside")")

ann.cancel()
let delivery = try center.broadcast(Chat.onMessage, "Eve", "is anybody there?")
print("\(delivery.calls) observers were called")

final class Window: Sendable {
    func show(_ who: String, _ text: String) { print("the window shows: \(who) says \(text)") }
    func mayEnter(_ who: String) -> Bool { true }
    deinit { print("the window is closed") }
}

var window: Window? = Window()
if let window {
    try center.observe(Chat.self, weakly: window) {
        $0.on(Chat.onMessage, Window.show)
        $0.on(Chat.mayEnter, Window.mayEnter)
    }
}
try center.broadcast(Chat.onMessage, "Eve", "look")
window = nil
try center.broadcast(Chat.onMessage, "Eve", "and now?")

let queue = try Queue.pumped()
let fay = try center.observe(Chat.onMessage, .on(queue)) { who, text in
    print("Fay reads: \(who) says \(text)")
}
try center.broadcast(Chat.onMessage, "Gus", "lunch?")
print("Fay has not read it yet")
try queue.pump()
fay.cancel()

import Synchronization

final class Archive: Sendable {
    private let messages = Mutex<[String]>([])
    var count: Int { messages.withLock { $0.count } }
    func keep(_ text: String) { messages.withLock { $0.append(text) } }
}

let archive = try center.register(Archive.self) { _ in
    print("the archive opens")
    return Archive()
}
print("the archive is known, and not open")

// It observes, too: the first message opens it.
let keeping = try center.observe(Chat.onMessage, by: archive) { archive, _, text in archive.keep(text) }
try center.broadcast(Chat.onMessage, "Gus", "remember this")
print("messages: \(try center.get(Archive.self).instance.count)")

do {
    _ = try center.get(Archive.self, named: "Archive2")
} catch {
    print("\(error.status): \(error.message)")
}
