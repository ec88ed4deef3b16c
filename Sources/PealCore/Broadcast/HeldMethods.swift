internal import CPealSupport

extension UnsafeMutablePointer<peal_thread> {
    /// Whether one of the thread's broadcasts, the outermost `levels` of them, is of the method.
    func holds(_ number: UInt64, among levels: UInt32) -> Bool {
        (0..<levels).contains { peal_thread_held(self, $0).map(peal_snapshot_method) == number }
    }

    /// Whether the innermost broadcast, which has just begun, is of a method that was being broadcast.
    func isNested(in number: UInt64) -> Bool {
        holds(number, among: peal_thread_depth(self) - 1)
    }
}
