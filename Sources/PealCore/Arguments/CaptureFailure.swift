/// An argument was not captured: the copy function of its type failed, or the type has been taken back.
public struct CaptureFailure: Error {
    /// Index of the argument.
    public let parameter: Int
}
