internal import CPealSupport
import PealCall

/// A center's life-cycle protocol.
struct Lifecycle: Sendable {
    let proto: PealProtocol
    let willStart: Method
    let didStart: Method
    let willTerminate: Method
    let willResignActive: Method
    let didBecomeActive: Method
    let didEnterBackground: Method
    let willEnterForeground: Method
    let configurationReloaded: Method

    init(of center: Center) throws(Failure) {
        let (proto, methods) = try center.define(BuiltInProtocol.lifecycle)
        self.proto = proto
        willStart = methods[0]
        didStart = methods[1]
        willTerminate = methods[2]
        willResignActive = methods[3]
        didBecomeActive = methods[4]
        didEnterBackground = methods[5]
        willEnterForeground = methods[6]
        configurationReloaded = methods[8]
    }

    /// Broadcasts one that has no parameters.
    func broadcast(_ event: Method) {
        _ = Broadcast.send(event.number, arguments: nil, count: 0, request: BroadcastRequest(result: nil), calls: nil)
    }
}
