internal import CPealSupport

/// The stages of forwarding that run on a thread. A stage may fail the call.
public enum ProxyStage {
    /// Fails the call whose stage is the innermost one on the calling thread.
    public static func fail(_ failure: Failure) throws(Failure) {
        guard let stage = peal_thread_own_engine()?.pointee.stage else {
            throw Failure(
                .state,
                "no stage of a proxy runs on this thread; call peal_proxy_fail inside `resolve`, `redirect` or `invoke`"
            )
        }
        stage.assumingMemoryBound(to: Failure?.self).pointee = failure
    }

    /// Runs a stage.
    ///
    /// - Throws: The failure of the call, if the stage has failed it.
    static func run<Value>(_ stage: () -> Value) throws(Failure) -> Value {
        guard let engine = peal_thread_current().map(peal_thread_engine) else { throw .outOfMemory }
        var failure: Failure?
        let value = withUnsafeMutablePointer(to: &failure) { failure in
            let outer = engine.pointee.stage
            engine.pointee.stage = UnsafeMutableRawPointer(failure)
            defer { engine.pointee.stage = outer }
            return stage()
        }
        if let failure { throw failure }
        return value
    }
}
