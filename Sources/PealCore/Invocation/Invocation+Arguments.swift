internal import CPealSupport
import PealCall

extension Invocation {
    /// Copies an argument's value out.
    public func read(_ index: Int, into destination: UnsafeMutableRawPointer, size: Int) throws(Failure) {
        try check(index, size: size)
        withLock { destination.copyMemory(from: value(index), byteCount: size) }
    }

    /// Replaces an argument. If arguments are retained, the new one is captured too, and all others with it. The old
    /// captures are released afterwards.
    public func write(_ index: Int, from source: UnsafeRawPointer, size: Int) throws(Failure) {
        try check(index, size: size)
        while !withLock({ writeGiven(index, from: source, size: size) }) {
            guard let old = currentCapture else { continue }
            try checkMayReplace(index)
            let next = try old.withArguments { (pointers) throws(Failure) in
                pointers[index] = UnsafeMutableRawPointer(mutating: source)
                return try ArgumentBlock.captured(method.copyPlan, pointers, of: method)
            }
            if replace(old, by: next, ifVersion: 0) { return }
        }
    }

    /// Captures the pointed-to values, so that the originals may be freed. Does nothing if they are captured already.
    public func retainArguments() throws(Failure) {
        try checkMayCapture()
        var isRetained = false
        while !isRetained {
            isRetained = try withArguments { (given) throws(Failure) in
                if given.capture != nil { return true }
                return replace(nil, by: try captured(given), ifVersion: given.version)
            }
        }
    }

    /// Makes an invocation of the same method with its own capture of the arguments, and the same result.
    public func duplicate() throws(Failure) -> UInt64 {
        try checkMayCapture()
        let capture = try withArguments { (given) throws(Failure) in try captured(given) }
        let duplicate = try Invocation.make(method.id) { _, memory in
            let copy = memory + Self.resultOffset(method)
            withLock { copy.copyMemory(from: result, byteCount: method.resultSize) }
            return capture
        }
        guard let duplicate else { throw .ended(method) }
        return duplicate
    }

    private func captured(_ given: Arguments) throws(Failure) -> ArgumentBlock {
        try ArgumentBlock.captured(method.copyPlan, given.pointers, of: method)
    }

    private func check(_ index: Int, size: Int) throws(Failure) {
        let count = method.plan.pointee.parameterCount
        guard (0..<count).contains(index) else {
            throw Failure(.argument, "\(method.title) has \(count) parameters, counted from 0, and no \(index)")
        }
        let expected = Int(method.plan.pointee.parameterSizes[index])
        guard size == expected else {
            throw Failure(
                .argument,
                "\(method.title): \(method.title(ofParameter: index)) has \(expected) bytes, but the size given is \(size)"
            )
        }
    }

    private func checkMayCapture() throws(Failure) {
        guard let bare = method.copyPlan.pointee.firstBarePointer else { return }
        throw Failure(
            .type,
            "\(method.title): \(method.title(ofParameter: bare)) is a bare pointer, which cannot be retained; give it a length, register its type with peal_type_set_object or peal_type_set_copy, or declare the method borrowed"
        )
    }

    /// Refuses to replace the length of a buffer. A captured buffer has the number of elements that its length gave.
    private func checkMayReplace(_ index: Int) throws(Failure) {
        let parameters = method.declaration.signature.parameters
        guard let buffer = parameters.firstIndex(where: { $0.ownership.length == .parameter(index) }) else { return }
        throw Failure(
            .state,
            "\(method.title): \(method.title(ofParameter: index)) is the length of \(method.title(ofParameter: buffer)), which is retained; set both before retaining"
        )
    }
}
