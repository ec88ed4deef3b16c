internal import CPealSupport
import PealCall

/// One function for several methods, and these methods in the order in which the function counts them.
struct HandledMethods: @unchecked Sendable {
    // Unchecked: the address of code.
    let function: UnsafeRawPointer
    let methods: [Method]
    /// True if methods that the protocol gets later are added.
    let includesLater: Bool

    /// The maximum number of methods, which is that of the thunks for one table.
    static var most: Int { Int(PEAL_THUNK_METHODS) }

    static func checkCount(_ count: Int) throws(Failure) {
        if count <= most { return }
        throw Failure(
            .limit,
            "a handler has at most \(most) methods, and these are \(count); name fewer, and register another target for the others"
        )
    }

    var address: UInt { UInt(bitPattern: function) }

    /// The size of the handler's block in the observer's memory, in bytes.
    var size: Int { peal_handler_size(includesLater ? Self.most : methods.count) }

    /// Writes the handler's block: the function, the target, and a cell for each method.
    func write(
        to memory: UnsafeMutableRawPointer, target: UnsafeMutableRawPointer?
    ) -> UnsafePointer<peal_observer_handler> {
        let handler = memory.bindMemory(to: peal_observer_handler.self, capacity: 1)
        handler.pointee.function = unsafeBitCast(function, to: peal_handler.self)
        handler.pointee.target = target
        for (index, method) in methods.enumerated() {
            peal_handler_cell_at(handler, UInt64(index)).initialize(to: Self.cell(of: method))
        }
        return UnsafePointer(handler)
    }

    static func cell(of method: Method) -> peal_handler_cell {
        peal_handler_cell(
            method: method.id, plan: UnsafeRawPointer(method.plan), copying: UnsafeRawPointer(method.copyPlan),
            has_result: method.plan.pointee.resultSize > 0, is_words: method.plan.pointee.isOneWordEach,
            needs_copies: method.hasMisplacedParameter)
    }
}

extension Registration {
    /// Fails if a handler cannot have so many methods.
    public static func checkHandled(_ count: Int) throws(Failure) { try HandledMethods.checkCount(count) }
}

extension CallPlan {
    /// Returns true if the words after the first are the parameters, one each.
    fileprivate var isOneWordEach: Bool {
        guard let wordLocations else { return false }
        return (0..<parameterCount).allSatisfy { Int(wordLocations[$0]) == $0 + 1 }
    }
}

extension Method {
    /// Returns true if libffi may store a parameter at a multiple of eight although its type requires a multiple of
    /// sixteen. That is so for a union in registers, and for a struct that is passed by its address, which libffi
    /// receives with an alignment of eight.
    fileprivate var hasMisplacedParameter: Bool {
        declaration.signature.parameters.contains { parameter in
            let shape = parameter.shape
            return shape.layout.alignment > 8 && (shape.hasUnion || shape.isPassedByReference)
        }
    }
}
