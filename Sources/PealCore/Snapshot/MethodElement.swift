internal import CPealSupport
import PealCall

/// The element of the directory that leads to a method's list. Writers hold the center's lock and change lists through
/// the element alone, so no observer retains the method's object.
typealias MethodElement = UnsafeMutablePointer<peal_directory_element>

extension MethodElement {
    var id: UInt64 { pointee.empty_list.method }

    var plan: CallPlan.Pointer { pointee.empty_list.plan.unsafelyUnwrapped.assumingMemoryBound(to: CallPlan.self) }

    /// The traits of the method, without those of its observers.
    var traits: MethodTraits { MethodTraits(rawValue: pointee.empty_list.traits) }

    var isTapped: Bool { peal_directory_taps(self) != 0 }

    /// True if even a broadcast without observers needs a list, where it would otherwise find the empty one and return:
    /// it ends its completion, its call is kept, or taps see it.
    var needsList: Bool { traits.hasCompletion || traits.isSticky || isTapped }

    /// The list of observers, or nil if there are none.
    var list: Snapshot? {
        let current = peal_directory_current(self)
        return current == peal_directory_empty_list(self) ? nil : current
    }

    /// Publishes a list, and retires the one that it replaces.
    ///
    /// - Parameter borrowed: The number of the new list's first entries whose weak counts still belong to the replaced
    ///   list.
    func publish(_ list: Snapshot, borrowed: Int = 0) {
        if let old = replace(by: list, borrowed: borrowed) { Reclaimer.retire(.list(old)) }
    }

    /// Publishes a list.
    ///
    /// - Returns: The list that it replaces, which the caller must retire.
    func replace(by list: Snapshot, borrowed: Int = 0) -> Snapshot? {
        let old = self.list
        peal_directory_publish(self, list)
        if let old, borrowed > 0 { list.inheritBorrowed(borrowed, from: old) }
        return old
    }
}
