import CHouse
import Peal

/// Throws the failure that a C function returns.
func check(_ status: peal_status) throws(PealError) {
    if status.rawValue < 0 {
        throw PealError(status: Status(status), message: String(cString: peal_last_message()))
    }
}
