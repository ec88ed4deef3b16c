internal import CPealSupport
import PealCall

extension Invocation {
    /// Copies an argument's value out.
    public func read(_ index: Int, into destination: UnsafeMutableRawPointer, size: Int) throws(Failure) {
        try check(index, size: size)
        let destination = UnsafeMemory(destination)
        state.withLock { state in
            destination.address.copyMemory(from: state.block.value(index), byteCount: size)
        }
    }

    /// Replaces an argument. Where arguments are retained the new one is captured too, and with it, anew,
    /// all others: what the old ones had is released after.
    public func write(_ index: Int, from source: UnsafeRawPointer, size: Int) throws(Failure) {
        try check(index, size: size)
        while true {
            let block = block
            if block.isCaptured { try checkMayReplace(index) }
            let next = try block.withArguments { (slots) throws(Failure) in
                slots[index] = UnsafeMutableRawPointer(mutating: source)
                return try block.isCaptured
                    ? ArgumentBlock.captured(method.copyPlan, slots, of: method)
                    : ArgumentBlock.values(method.copyPlan, slots)
            }
            if exchange(block, for: next) { return }
        }
    }

    /// Captures what the arguments point to, so that it may go. Does nothing when that is done.
    public func retainArguments() throws(Failure) {
        try checkMayCapture()
        while true {
            let block = block
            if block.isCaptured { return }
            if exchange(block, for: try capture(block)) { return }
        }
    }

    public var retainsArguments: Bool { block.isCaptured }

    /// An invocation of the same method with its own capture of the arguments, and the same result.
    public func duplicate() throws(Failure) -> Invocation {
        try checkMayCapture()
        let duplicate = try Invocation.make(method, try capture(block))
        let result = duplicate.state.withLock { UnsafeMemory($0.result) }
        state.withLock { result.address.copyMemory(from: $0.result, byteCount: method.resultSize) }
        return duplicate
    }

    private func capture(_ block: ArgumentBlock) throws(Failure) -> ArgumentBlock {
        try block.withArguments { (slots) throws(Failure) in
            try .captured(method.copyPlan, slots, of: method)
        }
    }

    /// Puts a block in the place of another; false when that one was replaced meanwhile. The old one ends
    /// with the caller's reference, outside the lock.
    private func exchange(_ old: ArgumentBlock, for new: ArgumentBlock) -> Bool {
        state.withLock { state in
            guard state.block === old else { return false }
            state.block = new
            return true
        }
    }

    private func check(_ index: Int, size: Int) throws(Failure) {
        let count = method.plan.pointee.parameterCount
        guard (0..<count).contains(index) else {
            throw Failure(.argument, "\(method.title) has \(count) parameters, counted from 0, and no \(index)")
        }
        let expected = method.plan.pointee.parameterSizes[index]
        guard size == expected else {
            throw Failure(
                .argument,
                "\(method.title): \(method.title(ofParameter: index)) has \(expected) bytes, but the size given is \(size)")
        }
    }

    private func checkMayCapture() throws(Failure) {
        guard let bare = method.copyPlan.pointee.firstBarePointer else { return }
        throw Failure(
            .type,
            "\(method.title): \(method.title(ofParameter: bare)) is a pointer of which nothing is said, so it cannot be retained; give it a length, register its type with peal_type_set_object or peal_type_set_copy, or declare the method borrowed")
    }

    /// A buffer that is captured has as many elements as its length said.
    private func checkMayReplace(_ index: Int) throws(Failure) {
        let parameters = method.declaration.signature.parameters
        guard let buffer = parameters.firstIndex(where: { $0.ownership.length == .parameter(index) }) else { return }
        throw Failure(
            .state,
            "\(method.title): \(method.title(ofParameter: index)) is the length of \(method.title(ofParameter: buffer)), which is retained; set both before retaining")
    }
}
