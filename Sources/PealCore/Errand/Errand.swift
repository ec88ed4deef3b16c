internal import CPealSupport

/// Work that cannot be done on the thread that it came up on, such as waiting for that thread's own call
/// to end. It is done on a thread of libdispatch's.
final class Errand: Sendable {
    private let work: @Sendable () -> Void

    private init(_ work: @escaping @Sendable () -> Void) {
        self.work = work
    }

    static func run(_ work: @escaping @Sendable () -> Void) {
        var number: UInt64 = 0
        _ = Handles.errands.insert {
            number = $0
            return Errand(work)
        }
        peal_dispatch_async(UnsafeMutableRawPointer(bitPattern: UInt(number))) { context in
            Handles.errands.remove(UInt64(UInt(bitPattern: context)))?.work()
        }
    }
}
