internal import CPeal
internal import CPealTest
public import Peal
public import Testing

extension Queue {
    /// Runs the calls that wait on the serial and pumped queues of the process, and what these calls enqueue, until no call
    /// waits. Paused queues, the main queue and the queues of actors are not run.
    ///
    /// - Parameter timeout: How long this may take, by the system's clock.
    /// - Throws: ``/Peal/PealError``: `Status.timeout` when calls still run or wait.
    ///
    /// Any task. The C interface's `peal_test_drain`.
    public static func drainAll(timeout: Duration = .seconds(10)) async throws(PealError) {
        try await waiting { peal_test_drain(timeout.milliseconds) }
    }
}

extension Center {
    /// Lists the observers and services that remain in the center, and the calls that wait on any queue of the process:
    /// a line for each protocol, service and queue. The text is cut after 16 KiB. Drain the queues first.
    ///
    ///     ["protocol Chat: 2 observers", "service store: 1 use"]
    ///
    /// Thread rule: any thread. The C interface's `peal_test_check_leaks`.
    public var leaks: [String] {
        var characters = [CChar](repeating: 0, count: 16 * 1024)
        guard peal_test_check_leaks(handle, &characters, characters.count) > 0 else { return [] }
        let text = String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text.split(separator: "\n").map(String.init)
    }

    /// The running test's own center if the test has the trait `.pealLeakCheck`; otherwise the default center.
    ///
    /// Read it in the test: detached tasks and callbacks on queues get the default center.
    public static var ofTest: Center { testCenter ?? .default }

    @TaskLocal fileprivate static var testCenter: Center?
}

/// Gives each test a center of its own, and checks at its end that the test has left nothing there.
///
///     @Test(.pealLeakCheck) func `a closed room has no members`() throws {
///         let center = Center.ofTest
///         …
///     }
///
/// Each test case, and so each argument, has a center. At its end each remaining observer and service is an issue. A test
/// that throws is not checked.
public struct LeakCheckTrait: TestTrait, SuiteTrait, TestScoping {
    /// True if the queues of the process are drained, and calls that still wait are issues too.
    fileprivate let checksQueues: Bool

    /// Each test of a suite has the trait.
    public var isRecursive: Bool { true }

    /// Runs a test in the scope of its center.
    ///
    /// - Parameters:
    ///   - test: The test. The trait is applied to each test of a suite, not to the suite.
    ///   - testCase: The run of the test.
    ///   - function: Runs the test.
    /// - Throws: The error of the test, or ``/Peal/PealError``.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let center = try Center()
        try await Center.$testCenter.withValue(center, operation: function)
        if checksQueues { try await Queue.drainAll() }
        for leak in center.leaks where checksQueues || !leak.hasPrefix("queue") {
            Issue.record("the test has left: \(leak)", sourceLocation: test.sourceLocation)
        }
    }
}

extension Trait where Self == LeakCheckTrait {
    /// Gives the test a center, ``Peal/Center/ofTest``, and checks at its end that no observer and no service is left there.
    public static var pealLeakCheck: Self { LeakCheckTrait(checksQueues: false) }

    /// As ``pealLeakCheck``. All queues of the process are drained first, and calls that still wait there are issues too,
    /// also those of tests that run in parallel. So it is for a suite that is `.serialized`, and runs alone.
    public static var pealLeakCheckWithQueues: Self { LeakCheckTrait(checksQueues: true) }
}
