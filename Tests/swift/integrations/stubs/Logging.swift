// The declarations of swift-log that the tests use.
public struct Logger: Sendable {
    public enum Level: String, Sendable { case trace, debug, info, notice, warning, error, critical }

    public struct Message: ExpressibleByStringInterpolation, CustomStringConvertible, Sendable {
        public let description: String
        public init(stringLiteral value: String) { description = value }
    }

    public enum MetadataValue: ExpressibleByStringInterpolation, CustomStringConvertible, Sendable {
        case string(String)
        public init(stringLiteral value: String) { self = .string(value) }
        public var description: String { if case .string(let value) = self { value } else { "" } }
    }

    public typealias Metadata = [String: MetadataValue]

    private let handler: any LogHandler

    public init(label: String) { handler = NoLogHandler() }

    public init(label: String, factory: (String) -> any LogHandler) { handler = factory(label) }

    public func log(
        level: Level, _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil,
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        handler.log(
            level: level, message: message(), metadata: metadata(), source: "", file: file, function: function,
            line: line)
    }
}

public protocol LogHandler: Sendable {
    var metadata: Logger.Metadata { get set }
    var logLevel: Logger.Level { get set }
    subscript(metadataKey key: String) -> Logger.MetadataValue? { get set }

    func log(
        level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
        function: String, line: UInt)
}

private struct NoLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info
    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { nil }
        set {}
    }

    func log(
        level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
        function: String, line: UInt
    ) {}
}
