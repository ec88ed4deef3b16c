// Twenty mistakes that do not compile, each with its diagnostic. The compiler verifies this file (swift.mistakes).
import Peal

enum Chat: PealProtocol {
    static let onMessage = Method<Void, String>("on_message", parameters: "text")
    static let mayClose = Method<Bool>("may_close", policy: .every)
    static let names = Method<Each<Int32>>("names")
    static let oldest = Method<Int32?>("oldest", policy: .last)
    static let methods: [any MethodDeclaration] = [onMessage, mayClose, names]
}

struct Date {}
final class Window {  // expected-note 2 {{}}
    func show(_ text: String) {}
}
@MainActor final class MainWindow {
    func show(_ text: String) {}  // expected-note {{}}
    func mayClose() -> Bool { true }
}
actor Log {
    func add(_ text: String) {}
}
protocol Screen: AnyObject {}  // expected-note {{}}

// MARK: Declarations

// 1. A protocol without its list of methods.
enum NoList: PealProtocol {  // expected-error {{type 'NoList' does not conform to protocol 'PealProtocol'}} expected-note {{}}
    static let onMessage = Method<Void>("on_message")
}

enum Wrong: PealProtocol {
    // 2. A parameter of a type that has no equivalent in C.
    static let onDate = Method<Void, Date>("on_date")  // expected-error {{type 'Date' does not conform to protocol 'PealParameter'}}
    static let onNames = Method<Void, [String]>("on_names")  // expected-error {{type 'String' does not conform to protocol 'PealPlainValue'}} expected-error {{requires that 'String' conform to 'PealPlainValue'}}
    static let onPair = Method<Void, (Int, Int)>("on_pair")  // expected-error {{type '(Int, Int)' does not conform to protocol 'PealParameter'}}
    // 3. A result of such a type.
    static let date = Method<Date>("date", policy: .last)  // expected-error {{requires that 'Date' conform to 'PealValue'}}
    // 4. A result without a policy.
    static let mayClose = Method<Bool>("may_close")  // expected-error {{is unavailable: add a policy that makes one result of the observers' results, such as policy: .last, or declare Each<…>}}
    // 5. A policy that makes no single result.
    static let names = Method<Int32>("names", policy: .collect)  // expected-error {{'collect' is unavailable: declare the result as Each<…> without a policy, and collect or fold the results}}
    static let methods: [any MethodDeclaration] = []
}

// MARK: Broadcasts

func broadcasts(_ center: Center) throws {
    // 6. An argument of another type.
    try center.broadcast(Chat.onMessage, 3)  // expected-error {{cannot convert value of type 'Int' to expected argument type 'String'}}
    // 7. One result of a method that is declared with Each.
    _ = try center.ask(Chat.names)  // expected-error {{is unavailable: the method has the result of each observer: collect them, or name a policy}}
    _ = try center.method(Chat.names).ask()  // expected-error {{is unavailable: the method has the result of each observer: collect them, or name a policy}}
    // 8. A result of a method that has none.
    try center.ask(Chat.onMessage, "hello")  // expected-error {{is unavailable: the method has no result: broadcast it}}
    try center.method(Chat.onMessage).ask("hello")  // expected-error {{is unavailable: the method has no result: broadcast it}}
    // 9. Many results of a method that has none.
    _ = try center.collect(Chat.onMessage, "hello")  // expected-error {{'collect' is unavailable: the method has no results to collect: broadcast it}}
    _ = try center.method(Chat.onMessage).collect("hello")  // expected-error {{'collect' is unavailable: the method has no results to collect: broadcast it}}
}

func unmarked(_ center: Center) {
    // 10. A failure that nothing handles.
    center.broadcast(Chat.onMessage, "hello")  // expected-error {{call can throw, but it is not marked with 'try' and the error is not handled}}
}

// MARK: Observers

func observers(_ center: Center, _ window: Window, _ log: Log) throws {
    // 11. An observation that ends at once.
    try center.observe(Chat.onMessage) { _ in }  // expected-warning {{result of call to 'observe(_:_:body:)' is unused}}
    // 12. A result of another type.
    _ = try center.observe(Chat.mayClose) { 3 }  // expected-error {{cannot convert value of type 'Int' to closure result type 'Bool'}}
    _ = try center.observe(Chat.oldest) { 3 }  // expected-error {{is unavailable: an observer cannot return this type: declare the result as a number}}
    // 13. An error, which no broadcaster could receive.
    _ = try center.observe(Chat.onMessage) { _ in throw CancellationError() }  // expected-error {{is unavailable: no broadcaster receives the error: declare the method's result as Status}}
    // 14. A closure that suspends, where the broadcaster waits.
    _ = try center.observe(Chat.onMessage) { await log.add($0) }  // expected-error {{cannot pass function of type '@Sendable (String) async -> ()' to parameter expecting synchronous function type}} expected-note {{}}
    // 15. An object that not every thread may call.
    try center.observe(Chat.self, for: window) { _ in }  // expected-error 2 {{type 'Window' does not conform to the 'Sendable' protocol}}
}

func captures(_ center: Center) throws {
    // 16. A variable that several threads could change.
    var count = 0
    _ = try center.observe(Chat.onMessage) { _ in count += 1 }  // expected-error {{mutation of captured var 'count' in concurrently-executing code}}
}

func types(_ center: Center, _ screen: any Screen) throws {
    // 17. A Swift protocol whose objects not every thread may call.
    try center.observe((any Screen).self, for: screen)  // expected-error {{type 'any Screen' does not conform to the 'Sendable' protocol}}
}

func isolation(_ center: Center, _ window: MainWindow) throws {
    // 18. A method of a main-actor class, without its isolation.
    try center.observe(Chat.self, for: window) {
        $0.on(Chat.onMessage, MainWindow.show)  // expected-error {{'on' is unavailable: pass a closure that calls the method}}
        $0.on(Chat.mayClose, MainWindow.mayClose)  // expected-error {{'on' is unavailable: pass a closure that calls the method}}
    }
    // 19. A call of the main actor on the broadcasting thread.
    try center.observe(Chat.self, for: window) {
        $0.on(Chat.onMessage) { window, text in
            window.show(text)  // expected-error {{call to main actor-isolated instance method 'show' in a synchronous nonisolated context}}
        }
    }
}

// MARK: Tasks

func blocking(
    _ center: Center, _ queue: Queue, _ owner: Owner, _ observation: ObserverToken, _ module: RegisteredModule
) async throws {
    // 20. A blocking function in a task. It would block a thread of the task pool, and could wait for itself.
    try center.startModulesBlocking()  // expected-error {{'startModulesBlocking' is unavailable from asynchronous contexts; it blocks the thread: await startModules instead}}
    try center.stopModulesBlocking()  // expected-error {{await stopModules instead}}
    try module.removeBlocking()  // expected-error {{await remove instead}}
    try queue.flushBlocking()  // expected-error {{await flush instead}}
    _ = try owner.retireBlocking()  // expected-error {{await retire instead}}
    try observation.cancelAndWaitBlocking()  // expected-error {{await cancelAndWait instead}}
}
