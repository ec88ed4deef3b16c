// The program of docs/tutorial-swift.md.
import Peal
import Synchronization

enum Chat: PealProtocol {
    static let name = "Chat"
    static let onMessage = Method<Void, String, String>("on_message", parameters: "who", "text", isRequired: true)
    static let mayEnter = Method<Bool, String>("may_enter", parameters: "who", policy: .every)
    static let methods: [any MethodDeclaration] = [onMessage, mayEnter]
}

let center = Center.default

@Sendable func reader(_ name: String) -> @Sendable (String, String) -> Void {
    { who, text in print("\(name) reads: \(who) says \(text)") }
}

let ann = try center.observe(Chat.onMessage, body: reader("Ann"))
let bob = try center.observe(Chat.onMessage, body: reader("Bob"))
try center.broadcast(Chat.onMessage, "Eve", "hello")

let cid = try center.observe(Chat.self) {
    $0.on(Chat.onMessage, reader("Cid"))
    $0.on(Chat.mayEnter) { who in
        print("Cid is asked about \(who)")
        return who != "Mallory"
    }
}
let mayEnter = try center.ask(Chat.mayEnter, "Mallory")
print(mayEnter ? "Mallory comes in" : "Mallory stays outside")

final class Reader: Sendable {
    private let name: String
    init(_ name: String) { self.name = name }
    func read(_ who: String, _ text: String) { reader(name)(who, text) }
    deinit { print("\(name) is freed") }
}

ann.cancel()
cid.cancel()
do {
    let dan = Reader("Dan")
    let observation = try center.observe(Chat.onMessage) { who, text in dan.read(who, text) }
    observation.cancel()
}

var eve: Reader? = Reader("Eve")
if let eve {
    try center.observe(Chat.self, for: eve) { $0.on(Chat.onMessage) { $0.read($1, $2) } }
}
try center.broadcast(Chat.onMessage, "Dan", "are you there?")
eve = nil
try center.broadcast(Chat.onMessage, "Dan", "and now?")
bob.cancel()

let queue = try Queue.pumped()
let fay = try center.observe(Chat.onMessage, .on(queue), body: reader("Fay"))
try center.broadcast(Chat.onMessage, "Gus", "lunch?")
print("Fay has not read it yet")
try queue.pump()
fay.cancel()

final class Archive: Sendable {
    private let messages = Atomic(0)
    var count: Int { messages.load(ordering: .relaxed) }
    func keep() { messages.add(1, ordering: .relaxed) }
}

let archive = try center.register(Archive.self, named: "archive", end: { _ in print("the archive closes") }) { creation in
    print("the \(creation.serviceName) opens")
    return Archive()
}
print("the archive is known, and not open")

// The archive also observes, so that the first message creates it.
let keeping = try center.observe(Chat.onMessage, by: archive) { archive, _, _ in archive.keep() }
try center.broadcast(Chat.onMessage, "Gus", "remember this")

try archive.with { print("\($0.count) message is kept") }
try center.endSession()     // a log-out
keeping.cancel()            // otherwise the next message would create it again

// A real plugin would be loaded with dlopen. It need not use owners.
func startPlugin(_ center: Center) throws(PealError) {
    try center.observe(Chat.onMessage, body: reader("a bot")).keep()
}

let plugin = try Owner("bots")
try plugin.perform { () throws(PealError) in try startPlugin(center) }
try center.broadcast(Chat.onMessage, "Gus", "any bots?")
if try await plugin.retire(timeout: .seconds(1)) == .complete { print("the plugin may be unloaded") }
