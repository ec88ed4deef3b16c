// Uses the declarations that @PealProtocol generates, as a program would.
import Peal
import Synchronization

@PealProtocol("Chat")
protocol Chat {
    func onMessage(room: String, text: String)
    func onClose()
    @PealMethod(sticky: .last) func onTopic(_ topic: String)
    @PealMethod(policy: .every) func mayEnter(_ who: String) -> Bool
    @PealMethod("count_votes", parameters: "topic", policy: .sum) func votes(on topic: String) -> Int32
    func ages(in room: String) -> Int
}

extension Chat {
    func onClose() {}
    func onTopic(_ topic: String) {}
    func ages(in room: String) -> Int { room.utf8.count }
}

final class Listener: Chat, Sendable {
    let heard = Mutex<[String]>([])
    func onMessage(room: String, text: String) { heard.withLock { $0.append("\(room): \(text)") } }
    func mayEnter(_ who: String) -> Bool { who != "Mallory" }
    func votes(on topic: String) -> Int32 { 3 }
}

/// The conformance is isolated to the main actor.
@MainActor final class Pane: @MainActor Chat {
    var heard: [String] = []
    func onMessage(room: String, text: String) { heard.append("\(room): \(text)") }
    func mayEnter(_ who: String) -> Bool { true }
    func votes(on topic: String) -> Int32 { 4 }
}

@MainActor @PealProtocol protocol Screen {
    func show(_ text: String)
    func isOpen() -> Bool
    func fade(to value: Double) async
}

@MainActor final class Window: Screen {
    var texts: [String] = []
    var value = 0.0
    func show(_ text: String) { texts.append(text) }
    func isOpen() -> Bool { true }
    func fade(to value: Double) async {
        await Task.yield()
        self.value = value
    }
}

enum Player {
    @PealProtocol fileprivate protocol Logging: Actor {
        func log(_ text: String, `default`: Int)
        func count() -> Int
        func save(_ text: String) async
    }
}

actor Log: Player.Logging {
    var numbers: [Int] = []
    var saved: [String] = []
    func log(_ text: String, default number: Int) { numbers.append(number) }
    func count() -> Int { numbers.count }
    func save(_ text: String) async {
        await Task.yield()
        saved.append(text)
    }
    func saves(_ texts: [String]) async -> Bool { await eventually { saved == texts } }
}

@PealProtocol protocol Files {
    func save(path: String) throws
    @PealMethod(policy: .min) func close() throws(Full)
}

struct Full: Error {}

final class Disk: Files, Sendable {
    func save(path: String) throws { if path.isEmpty { throw Full() } }
    func close() throws(Full) { throw Full() }
}

@MainActor @PealProtocol protocol Printing {
    func print(_ text: String) throws
}

@MainActor final class Printer: Printing {
    func print(_ text: String) throws { throw PealError(status: .limit, message: "no paper") }
}

struct Mismatch: Error {
    let line: UInt
    init(_ line: UInt) { self.line = line }
}

func expect(_ condition: Bool, line: UInt = #line) throws {
    if !condition { throw Mismatch(line) }
}

@main enum Program {
    @MainActor static func main() async throws {
        let center = try Center()
        try declarations()
        try objects(center)
        try await isolated(center)
        try await errors(center)
        try cFunctions()
        print("all held")
    }

    static func declarations() throws {
        try expect(ChatMethods.name == "Chat")
        try expect(Player.LoggingMethods.name.contains("::Player::Logging"))
        try expect(
            ChatMethods.methods.map(\.signature.text) == [
                "optional void on_message(const char *room, const char *text)", "optional void on_close(void)",
                "optional void on_topic(const char *topic), sticky",
                "optional bool may_enter(const char *who), every",
                "optional int32_t count_votes(const char *topic), sum",
                "optional long ages(const char *room)",
            ])
    }

    /// Registers objects as weak targets, with and without an option.
    static func objects(_ center: Center) throws {
        let chat = try ChatCenter(center)
        var listener: Listener? = Listener()
        let other = Listener()
        let observation = try chat.observe(listener!)
        try chat.observe(other, .once)
        try expect(try chat.onMessage(room: "lobby", text: "hello").calls == 2)
        try expect(listener!.heard.withLock { $0 } == ["lobby: hello"])
        try expect(try !chat.mayEnter("Mallory"))
        try expect(try chat.votes(on: "tea") == 3)
        try expect(try chat.ages(in: "room") == [4])
        do {
            try chat.observe(listener!)
            throw Mismatch(#line)
        } catch let error as PealError { try expect(error.status == .duplicate) }
        listener = nil
        try expect(try chat.onClose().calls == 0)
        try expect(!observation.isActive)
    }

    /// Calls an actor in order, and gathers its results.
    @MainActor static func isolated(_ center: Center) async throws {
        let chat = try ChatCenter(center)
        let pane = Pane()
        try chat.observe(pane, on: MainActor.shared)
        try chat.onMessage(room: "lobby", text: "later")
        try expect(pane.heard.isEmpty)
        let votes = try await center.method(ChatMethods.votes).gather("tea", timeout: .seconds(30)).results
        try expect(votes == [4])
        try expect(pane.heard == ["lobby: later"])

        let screen = try ScreenCenter(center)
        let window = Window()
        try screen.observe(window)
        try screen.show("one")
        try expect(try await screen.isOpen(timeout: .seconds(30)).results == [true])
        try expect(window.texts == ["one"])

        // Each call is a task.
        try screen.fade(to: 0.5)
        try expect(await eventually { window.value == 0.5 })

        let logging = try Player.LoggingCenter(center)
        let log = Log()
        try logging.observe(log)
        for number in 0..<1000 { try logging.log("", default: number) }
        try expect(try await logging.count(timeout: .seconds(30)).results == [1000])
        try expect(await log.numbers == Array(0..<1000))
        try logging.save("text")
        try expect(await log.saves(["text"]))
    }

    /// An error is thrown by the broadcast, and arrives as a status from an actor.
    @MainActor static func errors(_ center: Center) async throws {
        let files = try FilesCenter(center)
        let disk = Disk()
        try files.observe(disk)
        try expect(try files.save(path: "notes").calls == 1)
        for broadcast in [{ try files.save(path: "") }, { try files.close() }] {
            do {
                _ = try broadcast()
                throw Mismatch(#line)
            } catch is Full {}
        }
        let printing = try PrintingCenter(center)
        let printer = Printer()
        try printing.observe(printer)
        try expect(try await printing.print("text", timeout: .seconds(30)).results == [.limit])
    }

    /// Uses the methods without objects.
    static func cFunctions() throws {
        let center = try Center()
        let chat = try ChatCenter(center)
        let count = Atomic(0)
        let observation = try center.observe(ChatMethods.onMessage) { _, _ in count.add(1, ordering: .relaxed) }
        try chat.onMessage(room: "", text: "")
        try expect(count.load(ordering: .relaxed) == 1)
        observation.cancel()
    }
}
