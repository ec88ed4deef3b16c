internal import CPealSupport

/// The owner of a thread's registrations. Registrations by callbacks while the thread broadcasts are excluded, because
/// each enter counts only at its own depth of broadcasts.
public enum CurrentOwner {
    public static func enter(_ owner: Owner) throws(Failure) {
        guard let thread = peal_thread_current() else { throw .outOfMemory }
        guard peal_thread_enter_owner(thread, owner.id) else {
            throw Failure(
                .limit, "owners are entered \(PEAL_THREAD_OWNERS) deep on this thread; each enter needs a leave")
        }
    }

    public static func leave() throws(Failure) {
        guard let thread = peal_thread_own_slot(), peal_thread_leave_owner(thread) else {
            throw Failure(.state, "this thread has entered no owner; each leave needs an enter before it")
        }
    }

    /// The id of the entered owner; zero if there is none.
    @inline(__always)
    public static var id: UInt64 {
        peal_thread_own_slot().map(peal_thread_current_owner) ?? 0
    }

    /// The owner that a registration names, or the thread's. An owner that was retired meanwhile is an error even if it
    /// was only entered, because no later retirement would end the registration.
    public static func find(_ named: UInt64) throws(Failure) -> Owner? { try existing(named == 0 ? id : named) }

    @inline(never)
    private static func existing(_ id: UInt64) throws(Failure) -> Owner? {
        guard id != 0 else { return nil }
        guard let owner = Handles.owners.find(id) else { throw .staleOwner }
        return owner
    }
}
