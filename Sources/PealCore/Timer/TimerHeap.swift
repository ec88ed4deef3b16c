internal import CPealSupport

/// A timer's state, which lies in one allocation with its observer's record. See timer.h.
typealias TimerRecord = UnsafeMutablePointer<peal_timer_state>

/// Timers by when they must have fired at the latest. A pairing heap whose links are in the records, so
/// that starting a timer allocates nothing.
/// (Fredman, Sedgewick, Sleator, Tarjan: The pairing heap, 1986.)
struct TimerHeap {
    private(set) var first: TimerRecord?

    mutating func insert(_ timer: TimerRecord) {
        timer.pointee.child = nil
        timer.pointee.sibling = nil
        timer.pointee.before = nil
        timer.pointee.is_listed = true
        first = first.map { Self.meld($0, timer) } ?? timer
    }

    mutating func remove(_ timer: TimerRecord) {
        timer.pointee.is_listed = false
        if timer == first {
            first = Self.meldSiblings(timer.pointee.child)
        } else {
            Self.cut(timer)
            if let children = Self.meldSiblings(timer.pointee.child) { first = first.map { Self.meld($0, children) } }
        }
        timer.pointee.child = nil
    }

    /// Both are first of all theirs.
    private static func meld(_ one: TimerRecord, _ other: TimerRecord) -> TimerRecord {
        let isEarlier = one.lastMoment <= other.lastMoment
        let (parent, child) = isEarlier ? (one, other) : (other, one)
        child.pointee.sibling = parent.pointee.child
        parent.pointee.child?.pointee.before = child
        child.pointee.before = parent
        parent.pointee.child = child
        return parent
    }

    private static func cut(_ timer: TimerRecord) {
        let sibling = timer.pointee.sibling
        sibling?.pointee.before = timer.pointee.before
        if let before = timer.pointee.before {
            if before.pointee.child == timer { before.pointee.child = sibling } else { before.pointee.sibling = sibling }
        }
        timer.pointee.sibling = nil
        timer.pointee.before = nil
    }

    /// In pairs from the front, then all pairs from the back: that is what keeps it fast.
    private static func meldSiblings(_ children: TimerRecord?) -> TimerRecord? {
        var pairs: TimerRecord?
        var next = children
        while let one = next {
            let other = one.pointee.sibling
            next = other?.pointee.sibling
            one.standAlone()
            other?.standAlone()
            let pair = other.map { meld(one, $0) } ?? one
            pair.pointee.sibling = pairs
            pairs = pair
        }
        var melded: TimerRecord?
        while let pair = pairs {
            pairs = pair.pointee.sibling
            pair.standAlone()
            melded = melded.map { meld($0, pair) } ?? pair
        }
        return melded
    }
}

extension TimerRecord {
    /// When it must have fired at the latest.
    var lastMoment: Int64 { pointee.due.addingClamped(pointee.tolerance) }

    fileprivate func standAlone() {
        pointee.sibling = nil
        pointee.before = nil
    }
}

extension Int64 {
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
