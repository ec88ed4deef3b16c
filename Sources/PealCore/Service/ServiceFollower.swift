/// Who must know when an instance leaves: an observer that is an instance's. Told with no lock held.
protocol ServiceFollower: AnyObject, Sendable {
    /// Before the instance loses its base use: it was removed, or its registration ended.
    func instanceLeaves(_ service: Service)
    /// The service is registered no more.
    func serviceEnds(_ service: Service)
}
