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

    /// Replaces an argument. If arguments are retained, the new one is captured too, and all others with it. The old
    /// captures are released afterwards.
    public func write(_ index: Int, from source: UnsafeRawPointer, size: Int) throws(Failure) {
        try check(index, size: size)
        let memory = UnsafeMemory(UnsafeMutableRawPointer(mutating: source))
        while true {
            let block = state.withLock { state -> ArgumentBlock? in
                if state.block.isCaptured { return state.block }
                state.block.write(index, from: memory.address, size: size)
                return nil
            }
            guard let block else { return }
            try checkMayReplace(index)
            let next = try block.withArguments { (slots) throws(Failure) in
                slots[index] = memory.address
                return try ArgumentBlock.captured(method.copyPlan, slots, of: method)
            }
            if exchange(block, for: next) { return }
        }
    }

    /// Replaces an argument that is not retained.
    ///
    /// - Returns: False if it was not replaced, and ``write(_:from:size:)`` must replace it.
    func writeGiven(_ index: Int, _ source: UnsafeRawPointer, _ size: Int) -> Bool {
        let plan = method.plan
        guard index >= 0, index < plan.pointee.parameterCount, plan.pointee.parameterSizes[index] == size,
            peal_directory_is_of(method.place, method.number)
        else { return false }
        let source = UnsafeMemory(UnsafeMutableRawPointer(mutating: source))
        return state.withLock { state in
            if state.block.isCaptured { return false }
            state.block.write(index, from: source.address, size: size)
            return true
        }
    }

    /// Captures the pointed-to values, so that the originals may be freed. Does nothing if that is done.
    public func retainArguments() throws(Failure) {
        try checkMayCapture()
        while true {
            let block = block
            if block.isCaptured { return }
            let (captured, version) = try capture(block)
            if exchange(block, for: captured, ifVersion: version) { return }
        }
    }

    public var retainsArguments: Bool { block.isCaptured }

    /// An invocation of the same method with its own capture of the arguments, and the same result.
    public func duplicate() throws(Failure) -> Invocation {
        try checkMayCapture()
        let duplicate = try Invocation.make(method, try capture(block).captured)
        let result = duplicate.state.withLock { UnsafeMemory($0.result) }
        state.withLock { result.address.copyMemory(from: $0.result, byteCount: method.resultSize) }
        return duplicate
    }

    private func capture(_ block: ArgumentBlock) throws(Failure) -> (captured: ArgumentBlock, version: UInt64) {
        try withArguments(of: block) { (slots, version) throws(Failure) in
            (try .captured(method.copyPlan, slots, of: method), version)
        }
    }

    /// Replaces a block by another. Returns false if the old one was replaced or written meanwhile. It ends with the
    /// caller's reference, outside the lock.
    ///
    /// - Parameter version: The version of given values; nil: the old block is a capture.
    private func exchange(_ old: ArgumentBlock, for new: ArgumentBlock, ifVersion version: UInt64? = nil) -> Bool {
        state.withLock { state in
            guard state.block === old, version == nil || old.values.pointee.version == version else { return false }
            peal_invocation_values_close(first.values)
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
            "\(method.title): \(method.title(ofParameter: bare)) is a bare pointer, which cannot be retained; give it a length, register its type with peal_type_set_object or peal_type_set_copy, or declare the method borrowed")
    }

    /// A captured buffer has the number of elements that its length gave.
    private func checkMayReplace(_ index: Int) throws(Failure) {
        let parameters = method.declaration.signature.parameters
        guard let buffer = parameters.firstIndex(where: { $0.ownership.length == .parameter(index) }) else { return }
        throw Failure(
            .state,
            "\(method.title): \(method.title(ofParameter: index)) is the length of \(method.title(ofParameter: buffer)), which is retained; set both before retaining")
    }
}
