/// What a signal does to the modules of a center. The raw values are those of the interface.
public enum SignalAction: UInt32, Sendable { case terminate = 1, reload, background, foreground, endSession }
