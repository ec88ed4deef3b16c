extension Center {
    /// Ends a session of the center's services.
    func endSession() throws(Failure) {
        throw Failure(.state, "the center has no services")
    }
}
