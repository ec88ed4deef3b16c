import CPeal
import Peal
import Testing

/// Observers of all methods of a protocol, and of those that it gets later.
@Suite struct ObserveMethodsTests {
    let center: Center

    init() throws {
        center = try Center()
        try center.define(Chat.self)
    }

    private enum Grown: PealProtocol {
        static let name = "Chat"
        static let onEdit = Method<Void, Int32, String>("on_edit", parameters: "number", "text", since: 2)
        static let methods: [any MethodDeclaration] = Chat.methods + [onEdit]
    }

    @Test func `O14: one closure receives the calls of all methods, with their arguments`() throws {
        let heard = Record<String>()
        let observer = try center.observeMethods(of: "Chat", .label("log")) { call in
            switch call.name {
            case "on_message":
                guard let (room, count) = try? call.arguments(String.self, Int32.self) else { return }
                heard.append("\(call.index) \(call.name) \(room) \(count) from \(call.origin)")
            case "votes": try? call.answer(Int32(5))
            case "may_close": try? call.answer(false)
            default: heard.append("\(call.index) \(call.name)")
            }
        }
        try center.broadcast(Chat.onMessage, "lobby", 3, from: 7)
        try center.broadcast(Chat.onClose)
        #expect(heard.all == ["0 on_message lobby 3 from 7", "2 on_close"])
        #expect(try center.ask(Chat.votes, "hall") == 5)
        #expect(try center.ask(Chat.mayClose) == false)
        #expect(try observer.info().label == "log")
    }

    @Test func `O19: the closure is called for later methods too, if it includes them`() throws {
        let heard = Record<String>()
        let later = try center.observeMethods(of: "Chat", includingLater: true) {
            heard.append("\($0.name) \($0.index)")
        }
        let fixed = try center.observeMethods(of: "Chat") { call in heard.append("fixed \(call.name)") }
        #expect(try later.info().includesLaterMethods && !fixed.info().includesLaterMethods)
        try center.broadcast(Grown.onEdit, 4, "text")
        try center.broadcast(Chat.onClose)
        #expect(heard.all == ["on_edit 5", "on_close 2", "fixed on_close"])
    }

    @Test func `O18: a call without an answer abstains, and one of another type is refused`() throws {
        let refused = Record<Status>()
        let idle = try center.observeMethods(of: "Chat") { _ in }
        let wrong = try center.observeMethods(of: "Chat") { call in
            if let error = pealError(of: { try call.answer("text") }) { refused.append(error.status) }
            if let error = pealError(of: { try call.arguments(Double.self) }) { refused.append(error.status) }
        }
        let rule = try center.observe(Chat.votes) { _ in 5 }
        #expect(try center.ask(Chat.votes, "hall") == 5)
        #expect(try center.ask(Chat.mayClose) == true)
        #expect(refused.all == [.conflict, .conflict, .conflict, .conflict])
        withExtendedLifetime((idle, wrong, rule)) {}
    }

    @Test func `O14, Q1: the closure may run on a queue, and an unknown protocol is refused`() throws {
        let heard = Record<String>()
        let queue = try Queue.pumped()
        let observer = try center.observeMethods(of: "Chat", .on(queue)) { call in
            guard let (number) = try? call.arguments(Int32.self) else { return }
            heard.append("\(call.name) \(number) \(call.broadcast == CallInfo.current?.broadcast)")
            if call.enqueuedAt != nil { heard.append("enqueued") }
        }
        try center.broadcast(Chat.onNumber, 9)
        #expect(heard.all.isEmpty)
        try queue.pump()
        #expect(heard.all == ["on_number 9 true"])
        try center.broadcast(Chat.onNumber, 8, from: 3)
        try queue.pump()
        #expect(heard.all == ["on_number 9 true", "on_number 8 true", "enqueued"])
        #expect(pealError { try center.observeMethods(of: "Missing") { _ in } }?.status == .notFound)
        withExtendedLifetime(observer) {}
    }
}
