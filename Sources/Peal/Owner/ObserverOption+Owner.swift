extension ObserverOption {
    /// The observation belongs to an owner, and ends with it. The caller keeps the owner.
    public static func belonging(to owner: Owner) -> ObserverOption { .owner(owner.handle) }
}
