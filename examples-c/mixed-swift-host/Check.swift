import CHouse
import Peal

/// Throws what a function of C reports as a failure.
func check(_ status: peal_status) throws(PealError) {
    if status.rawValue < 0 {
        throw PealError(status: Status(status), message: String(cString: peal_last_message()))
    }
}
