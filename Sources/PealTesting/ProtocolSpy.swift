internal import CPeal
internal import CPealTest
internal import Glibc
public import Peal

/// An observer of a whole protocol that records its calls, in one order for all methods.
///
///     let spy = try center.spy(on: Chat.self)
///     startConversation()
///     try await spy.wait(for: 2)
///     #expect(try spy.text == """
///         on_message(room: "lobby", count: 3)
///         on_close()
///
///         """)
///
/// It needs no Swift types of the parameters: ``Peal/Center/spy(onProtocol:methods:_:)`` observes protocols that C has
/// defined. ``Spy`` has the arguments of one method as values.
///
/// The spy is removed when its last reference is released. Swift may do so after the last use of the variable. The release
/// waits for the spy's running calls, and must not happen in one of them. `peal_spy` in C.
public final class ProtocolSpy: @unchecked Sendable {
    // Unchecked: any thread may use the spy of C, and the pointer never changes.
    private let spy: OpaquePointer
    /// The queue of the calls.
    private let queues: [Queue]

    fileprivate init(
        _ protocols: peal_protocol, _ methods: [String], _ options: [ObserverOption]
    ) throws(PealError) {
        queues = options.compactMap { if case .on(let queue) = $0 { queue } else { nil } }
        var made: OpaquePointer?
        let names = methods.map { strdup($0) }
        defer { for name in names { free(name) } }
        try peal_observe_options.with(options) { options throws(PealError) in
            let status = names.map { UnsafePointer($0) }.withUnsafeBufferPointer { list in
                peal_spy_create(protocols, methods.isEmpty ? nil : list.baseAddress, methods.count, &options, &made)
            }
            try PealError.check(status)
        }
        spy = made.unsafelyUnwrapped
    }

    deinit { peal_spy_destroy(spy) }

    /// The recorded calls as text, a line each: `on_message(room: "lobby", count: 3)`. Addresses and handles are printed as
    /// their types, so the text is the same in each run.
    ///
    /// - Throws: ``/Peal/PealError`` with `Status.memory`.
    ///
    /// Thread rule: any thread. The C interface's `peal_spy_print`.
    public var text: String {
        get throws(PealError) {
            var capacity = 1024
            while true {
                var length = 0
                var characters = [CChar](repeating: 0, count: capacity)
                let status = peal_spy_print(spy, &characters, capacity, &length)
                if status != PEAL_TRUNCATED {
                    try PealError.check(status)
                    return String(decoding: characters[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
                }
                capacity = length + 1
            }
        }
    }

    /// Counts the recorded calls.
    ///
    /// - Parameter method: The name of a method; `nil` for the calls of all.
    /// - Returns: The number; 0 for a method that the spy does not observe.
    ///
    /// Thread rule: any thread. The C interface's `peal_spy_count_calls`.
    public func count(of method: String? = nil) -> Int { peal_spy_count_calls(spy, method) }

    /// Waits until a number of calls have been recorded. The wait is on a thread of Dispatch, so no thread of Swift's
    /// tasks blocks. Cancelling the task does not end the wait.
    ///
    /// - Parameters:
    ///   - count: How many calls, with those that are recorded already.
    ///   - method: The name of a method; `nil` for the calls of all.
    ///   - timeout: How long to wait, by the system's clock.
    /// - Throws: ``/Peal/PealError``: `Status.timeout`; `Status.notFound` for a method that the spy does not observe.
    ///
    /// Any task. The C interface's `peal_spy_wait`.
    public func wait(
        for count: Int, of method: String? = nil, timeout: Duration = .seconds(10)
    ) async throws(PealError) {
        try await waiting { peal_spy_wait(self.spy, method, count, timeout.milliseconds) }
    }

    /// Frees the records. The spy continues to record, and counts from zero.
    ///
    /// Thread rule: any thread. The C interface's `peal_spy_clear`.
    public func clear() { peal_spy_clear(spy) }
}

extension Center {
    /// Records the calls of all methods of a protocol.
    ///
    /// - Parameters:
    ///   - type: The protocol. It is defined if the center does not have it yet.
    ///   - options: Options of the observer: a queue, a priority, an owner.
    /// - Returns: The spy, which observes until its last reference.
    /// - Throws: ``/Peal/PealError``, as an observation of the protocol.
    ///
    /// Thread rule: any thread. The C interface's `peal_spy_create`.
    public func spy<Observed: PealProtocol>(
        on type: Observed.Type, _ options: ObserverOption...
    ) throws(PealError) -> ProtocolSpy {
        try define(type)
        return try makeSpy(Observed.name, [], options)
    }

    /// Records the calls of methods of a protocol that any part of the program has defined.
    ///
    /// - Parameters:
    ///   - protocolName: The protocol's name.
    ///   - methods: The names of the methods; all by default.
    ///   - options: Options of the observer: a queue, a priority, an owner.
    /// - Returns: The spy, which observes until its last reference.
    /// - Throws: ``/Peal/PealError``: `Status.notFound`; else as an observation of the protocol.
    ///
    /// Thread rule: any thread. The C interface's `peal_spy_create`.
    public func spy(
        onProtocol protocolName: String, methods: [String] = [], _ options: ObserverOption...
    ) throws(PealError) -> ProtocolSpy {
        try makeSpy(protocolName, methods, options)
    }

    private func makeSpy(
        _ protocolName: String, _ methods: [String], _ options: [ObserverOption]
    ) throws(PealError) -> ProtocolSpy {
        var found = peal_protocol()
        try PealError.check(peal_protocol_find(handle, protocolName, &found))
        return try ProtocolSpy(found, methods, options)
    }
}
