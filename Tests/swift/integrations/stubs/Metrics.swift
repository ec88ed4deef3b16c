// The declarations of swift-metrics that the tests use.
import Synchronization

public final class Timer: Sendable {
    public init(label: String) {}
    public func recordNanoseconds(_ duration: Int64) {}
}

public final class Counter: Sendable {
    private let label: String

    public init(label: String, dimensions: [(String, String)] = []) { self.label = label }

    public func increment() { Stub.values.withLock { $0[label, default: 0] += 1 } }
}

public class Recorder: @unchecked Sendable {
    private let label: String

    public init(label: String, dimensions: [(String, String)] = [], aggregate: Bool = true) { self.label = label }

    public func record<DataType: BinaryInteger>(_ value: DataType) { Stub.values.withLock { $0[label] = Int(value) } }
}

public final class Gauge: Recorder, @unchecked Sendable {
    public convenience init(label: String, dimensions: [(String, String)] = []) {
        self.init(label: label, dimensions: dimensions, aggregate: false)
    }
}

/// The recorded values, for tests. No part of swift-metrics.
public enum Stub {
    public static let values = Mutex<[String: Int]>([:])
}
