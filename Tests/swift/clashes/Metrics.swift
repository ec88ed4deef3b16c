// The declarations of swift-metrics whose names a program uses unqualified.
public final class Timer: Sendable {
    public init(label: String) {}
    public func recordNanoseconds(_ duration: Int64) {}
}
