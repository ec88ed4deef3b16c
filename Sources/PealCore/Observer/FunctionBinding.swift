internal import CPealSupport
import PealCall

/// A function for a method, by name.
public struct FunctionBinding {
    public var method: String
    public var function: UnsafeRawPointer?
    /// The prototype of the function, which is compared with the method's.
    public var prototype: String?

    public init(method: String, function: UnsafeRawPointer?, prototype: String?) {
        self.method = method
        self.function = function
        self.prototype = prototype
    }

    func checkPrototype(of method: Method, in state: borrowing CenterState) throws(Failure) {
        guard let prototype else { return }
        // Names are not compared, because a function rarely has its method's name.
        try method.check(prototype: prototype, of: "the function", in: state.types)
    }
}

extension FunctionBinding {
    /// Reads and checks the texts of bindings in the caller's memory.
    static func read(_ given: peal_named_functions) throws(Failure) -> [FunctionBinding] {
        var read: [FunctionBinding] = []
        for binding in UnsafeBufferPointer(start: given.bindings, count: given.count) {
            let method = try CallerText.read(binding.method, "the method of a binding")
            let prototype: String? =
                binding.prototype == nil ? nil : try CallerText.source(binding.prototype, "the prototype of \(method)")
            let function = unsafeBitCast(binding.function, to: UnsafeRawPointer?.self)
            read.append(FunctionBinding(method: method, function: function, prototype: prototype))
        }
        return read
    }
}

extension peal_named_functions {
    /// Reads the names of a handler's methods.
    func readNames() throws(Failure) -> [String] {
        var read: [String] = []
        for name in UnsafeBufferPointer(start: names, count: count) {
            read.append(try CallerText.read(name, "the name of a method"))
        }
        return read
    }
}

/// Functions in the caller's memory that were checked, and their tables.
final class KnownFunctions: @unchecked Sendable {
    // Unchecked: the memory is its own and never changes.
    private let copy: UnsafeMutablePointer<peal_named_functions>
    let tables: ObserverTables

    /// Returns nil if memory is refused.
    init?(_ functions: inout peal_named_functions, _ tables: ObserverTables) {
        guard let copy = peal_named_functions_copy(&functions) else { return nil }
        self.copy = copy
        self.tables = tables
    }

    deinit {
        peal_memory_free(copy)
    }

    @inline(__always)
    func isEqual(to other: inout peal_named_functions) -> Bool { peal_named_functions_are_equal(copy, &other) }
}

extension Method {
    /// Fails with the first difference between a prototype and the method's, as far as calls are affected.
    public func check(prototype: String) throws(Failure) {
        let types = try owner.center.withState { (state) throws(Failure) in state.types }
        try check(prototype: prototype, of: "the prototype", in: types)
    }

    fileprivate func check(prototype: String, of what: String, in types: TypeScope) throws(Failure) {
        let signature: Signature
        do throws(SyntaxError) {
            signature = try Signature(prototype, in: types)
        } catch {
            throw Failure(error, in: "the prototype given for \(title)")
        }
        if let difference = declaration.signature.firstDifference(from: signature, asFunctions: true) {
            throw Failure(.conflict, "\(what) given for \(title) is another: \(difference)")
        }
    }
}
