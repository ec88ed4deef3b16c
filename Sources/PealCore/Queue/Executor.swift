internal import CPealSupport
import PealCall

/// The threads that run serial queues, timers, time limits and detached work. See executor.h.
enum Executor {
    /// Makes sure that there are threads, before anything that needs them begins. No lock may be held.
    static func start() throws(Failure) {
        guard peal_executor_start() else {
            throw Failure(.limit, "the system gives the process no thread, which queues, timers and time limits need; see RLIMIT_NPROC and the limits of its control group")
        }
    }
}
