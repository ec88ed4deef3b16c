// Imports Peal together with modules whose names it must not shadow. No name is qualified.
import Foundation
import Logging
import Observation
import Peal
import ServiceLifecycle

@Observable final class Model {
    var text = ""
}

enum Chat: PealProtocol {
    static let onMessage = Method<Void, String>("on_message", parameters: "text")
    static let methods: [any MethodDeclaration] = [onMessage]
}

/// A service of ServiceLifecycle.
struct Listener: Service {
    let center: Center

    func run() async throws {
        let token: ObserverToken = try center.observe(Chat.onMessage) { print($0) }
        try center.broadcast(Chat.onMessage, "hello")
        token.cancel()
    }
}

@main enum Program {
    static func main() async throws {
        let center = try Center()
        let provider: ServiceProvider<Listener> = try center.register(Listener.self) { Listener(center: $0.center) }
        let model = Model()
        withObservationTracking {
            _ = model.text
        } onChange: {
            print("the text changes")
        }
        model.text = "hello"
        // The timers of Foundation and of peal.
        let timer = Timer(timeInterval: 1, repeats: false) { _ in }
        let own = try QueueTimer(every: .seconds(1), on: Queue.main) {}
        let listener = try provider.get()
        try await ServiceGroup(services: [listener.instance], logger: Logger(label: "program")).run()
        timer.invalidate()
        own.cancel()
    }
}
