// Mistakes that must not compile, each with its diagnostic. The compiler verifies this file (swift.mistakes).
import Peal

enum Chat: PealProtocol {
    static let onMessage = Method<Void, String>("on_message", parameters: "text")
    static let mayClose = Method<Bool>("may_close", policy: .every)
    static let methods: [any MethodDeclaration] = [onMessage, mayClose]
}

@MainActor final class Window {
    func show(_ text: String) {}  // expected-note {{}}
    func mayClose() -> Bool { true }
}

func isolation(_ center: Center, _ window: Window) throws {
    // A method of a main-actor class would run on the broadcasting thread.
    try center.observe(Chat.self, for: window) {
        $0.on(Chat.onMessage, Window.show)  // expected-error {{'on' is unavailable: pass a closure that calls the method}}
        $0.on(Chat.mayClose, Window.mayClose)  // expected-error {{'on' is unavailable: pass a closure that calls the method}}
    }
    try center.observe(Chat.self, for: window) {
        $0.on(Chat.onMessage) { window, text in
            window.show(text)  // expected-error {{call to main actor-isolated instance method 'show' in a synchronous nonisolated context}}
        }
    }
}

func blocking(
    _ center: Center, _ queue: Queue, _ owner: Owner, _ observation: ObserverToken, _ module: RegisteredModule
) async throws {
    // Each would keep a thread of the tasks, and on the main actor wait for itself.
    try center.startModulesBlocking()  // expected-error {{'startModulesBlocking' is unavailable from asynchronous contexts; it blocks the thread: await startModules instead}}
    try center.stopModulesBlocking()  // expected-error {{await stopModules instead}}
    try module.removeBlocking()  // expected-error {{await remove instead}}
    try queue.flushBlocking()  // expected-error {{await flush instead}}
    _ = try owner.retireBlocking()  // expected-error {{await retire instead}}
    try observation.cancelAndWaitBlocking()  // expected-error {{await cancelAndWait instead}}
}
