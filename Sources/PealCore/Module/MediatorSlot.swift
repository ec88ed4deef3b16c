/// A center's place for its mediator.
struct MediatorSlot {
    var mediator: Mediator?
    /// The center has ended.
    var isClosed = false
}
