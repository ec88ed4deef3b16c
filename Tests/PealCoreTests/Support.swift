import CPealSupport
import PealCall

@testable import PealCore

/// A center with one protocol.
final class Fixture {
    let center: Center
    let proto: PealProtocol
    let methods: [Method]

    init(_ methods: String...) throws(Failure) {
        center = try Center.make()
        let description = ProtocolDescription(name: "Test", methods: methods.map(ProtocolDescription.MethodSource.text))
        (proto, self.methods) = try center.define(description)
    }

    /// Ends the center. A deinit would be too early, because Swift may release a fixture before the test's last line.
    func end() {
        try? center.end()
    }

    /// Registers a function for the first method.
    @discardableResult
    func observe(
        _ target: UnsafeMutablePointer<Int>?, _ function: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void,
        _ change: (inout Registration) -> Void = { _ in }
    ) throws(Failure) -> UInt64 {
        let binding = FunctionBinding(
            method: methods[0].name, function: unsafeBitCast(function, to: UnsafeRawPointer.self), prototype: nil)
        var registration = Registration(
            proto: proto, target: UnsafeMutableRawPointer(target), functions: .bindings([binding]))
        change(&registration)
        return try registration.register()
    }

    /// Broadcasts the first method, which has no parameters.
    @discardableResult
    func send() -> (outcome: Broadcast.Outcome, calls: Int) {
        var calls = -1
        let outcome = Broadcast.send(
            methods[0].id, arguments: nil, count: 0, request: BroadcastRequest(result: nil), calls: &calls)
        return (outcome, calls)
    }
}

/// A counter in memory, to which callbacks receive a pointer as their target.
final class Counter {
    let value = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    init() { value.pointee = 0 }
    deinit { value.deallocate() }
    static let add: @convention(c) (UnsafeMutableRawPointer?) -> Void = { target in
        target?.assumingMemoryBound(to: Int.self).pointee += 1
    }
}
