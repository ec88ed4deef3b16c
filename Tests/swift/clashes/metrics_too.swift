import Metrics
import Peal

/// A timer of Metrics, in a file without Foundation.
func record(_ timer: Timer) { timer.recordNanoseconds(1) }
