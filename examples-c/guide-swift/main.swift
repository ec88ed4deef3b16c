// The program of docs/guide-swift.md.
import Glibc
import Peal
import Synchronization

enum Chat: PealProtocol {
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
    try center.observe(Chat.self, weakly: eve) { $0.on(Chat.onMessage, Reader.read) }
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

// A plugin would be loaded with dlopen. It need not know of owners.
func startPlugin(_ center: Center) throws(PealError) {
    try center.observe(Chat.onMessage, body: reader("a bot")).keep()
}

let plugin = try Owner("bots")
try plugin.perform { () throws(PealError) in try startPlugin(center) }
try center.broadcast(Chat.onMessage, "Gus", "any bots?")
if try plugin.retire(within: .seconds(1)) == .complete { print("the plugin may be unloaded") }

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

// It observes, too: the first message opens it.
let keeping = try center.observe(Chat.onMessage, by: archive) { archive, _, _ in archive.keep() }
try center.broadcast(Chat.onMessage, "Gus", "remember this")

try archive.with { print("\($0.count) message is kept") }
try center.endSession()     // a log-out
keeping.cancel()            // else the next message opens it again

struct Part: Module {
    let moduleName: String
    let dependencies: [Dependency]

    func start(in center: Center) async throws { print("\(moduleName) starts") }
    func stop(in center: Center) async throws { print("\(moduleName) stops") }
    func didBecomeActive() { print("\(moduleName) is awake") }
}

func runModules(of center: Center) async throws {
    try center.add(Part(moduleName: "network", dependencies: ["storage"]))
    try center.add(Part(moduleName: "storage", dependencies: []))
    try await center.startModules()
    try center.lifecycle.didBecomeActive()
    try await center.stopModules(within: .seconds(5))    // all together
}
try await runModules(of: center)

final class Clock: Sendable {
    private let ticks = Atomic(0)
    var count: Int { ticks.load(ordering: .relaxed) }
    func tick() { print("tick \(ticks.add(1, ordering: .relaxed).newValue)") }
}

let clock = Clock()
let timer = try Timer(every: .milliseconds(5), on: queue, weakly: clock) { $0.tick() }
try timer.start()
while clock.count < 2 {
    var ready = pollfd(fd: try queue.descriptor(), events: Int16(POLLIN), revents: 0)
    poll(&ready, 1, -1)
    try queue.pump()
}
timer.cancel()

let online = try Property("online", initially: Int32(3), in: center)
let shown = try online.observe { old, new in print("the status line: \(new) online, before \(old)") }
try online.set(4)
print("now \(try online.value)")

// One listener, as libraries have it.
func oldLibrary(_ listener: (String, String) -> Void) {
    listener("the old library", "something happened")
}

let hal = try center.observe(Chat.onMessage, body: reader("Hal"))
let ida = try center.observe(Chat.onMessage, body: reader("Ida"))
let everybody = try center.method(Chat.onMessage)
oldLibrary { who, text in _ = try? everybody(who, text) }
