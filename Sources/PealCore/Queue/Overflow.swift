/// What becomes of new calls when a bounded queue is full. The raw values are the interface's.
public enum Overflow: UInt32, Sendable {
    case reject, dropOldest, dropNewest, keepLatest, wait
}
