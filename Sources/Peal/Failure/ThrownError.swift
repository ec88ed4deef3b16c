internal import Glibc

/// An error with a status of its own, which observers pass to C and to other modules.
///
///     enum DiskError: Int32, StatusError { case full = -1000, readOnly = -1001 }
///
/// An observer of a method whose result is a ``Status`` may throw any error. The status of an error without one is
/// ``Status/state``.
public protocol StatusError: Error {
    /// The status, which is a failure: its number is negative. Numbers below -999 are for programs.
    var status: Status { get }
}

extension PealError: StatusError {}

extension StatusError where Self: RawRepresentable, RawValue == Int32 {
    /// The status with the raw value.
    public var status: Status { Status(rawValue: rawValue) }
}

/// The result of a method whose observers may fail: `int32_t` in C, where a negative number is a failure.
///
///     static let save = Method<Status, String>("save", parameters: "path", policy: .firstNonzero)
///
///     let disk = try center.observe(Files.save) { path in try write(path) }
///     try center.broadcast(Files.save, "notes.txt")
///
/// A closure of an observer may throw in place of returning a status. `broadcast` throws the failure of an observer,
/// and `ask` returns it. With the policy `firstNonzero`, observers after the first failure are not called; with `min`,
/// all are.
extension Status: PealResult {
    /// `int32_t`. It fits an enumeration too.
    public static var cType: CType { CType("int32_t") }

    /// `true`.
    public static var isItsOwnRepresentation: Bool { true }

    /// The status with a number.
    @inlinable @inline(__always)
    public init(cValue: Int32) { self.init(rawValue: cValue) }

    /// The number.
    @inlinable @inline(__always)
    public var cValue: Int32 { rawValue }
}

extension Status {
    /// The status of an error that an observer throws.
    init(of error: any Error) {
        let status = (error as? any StatusError)?.status ?? .state
        self = status.isFailure ? status : .state
    }

    /// The outcome of a closure that may throw.
    ///
    /// - Parameter isQueued: False if the broadcaster waits for the outcome on this thread, which then keeps the error.
    @usableFromInline
    static func catching(isQueued: Bool = false, _ body: () throws -> Void) -> Status {
        do {
            try body()
            return .ok
        } catch {
            let status = Status(of: error)
            if !isQueued { ThrownError.store(error, status) }
            return status
        }
    }

    /// Throws the failure that observers returned: the error that one of them threw on this thread, if it has this
    /// status, or a ``PealError``.
    @usableFromInline
    func throwFailure() throws {
        guard isFailure else { return }
        throw ThrownError.take(self)
            ?? PealError(status: self, message: "an observer returned \(rawValue): \(meaning)")
    }
}

/// The last error that an observer threw on this thread, until a broadcaster in Swift takes it.
@usableFromInline
final class ThrownError: Sendable {
    private let error: any Error
    private let status: Status

    private init(_ error: any Error, _ status: Status) {
        self.error = error
        self.status = status
    }

    /// The key of the thread's error. `nil` if the process has no more keys: only statuses cross then.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, Box.release) == 0 ? key : nil
    }()

    fileprivate static func store(_ error: any Error, _ status: Status) {
        clear()
        guard let key else { return }
        let pointer = Box.retain(ThrownError(error, status))
        if pthread_setspecific(key, pointer) != 0 { Box.release(pointer) }
    }

    /// Returns the thread's error if it has the status, and removes it.
    fileprivate static func take(_ status: Status) -> (any Error)? {
        guard let key, let pointer = pthread_getspecific(key) else { return nil }
        let thrown = Box.object(pointer, as: ThrownError.self)
        clear()
        return thrown.status == status ? thrown.error : nil
    }

    /// Removes the thread's error, which an earlier broadcaster did not take.
    @usableFromInline
    static func clear() {
        guard let key, let pointer = pthread_getspecific(key) else { return }
        pthread_setspecific(key, nil)
        Box.release(pointer)
    }
}
