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
    static func read(_ bindings: UnsafeBufferPointer<peal_binding>) throws(Failure) -> [FunctionBinding] {
        var read: [FunctionBinding] = []
        for binding in bindings {
            let method = try CallerText.read(binding.method, "the method of a binding")
            let prototype: String? =
                binding.prototype == nil ? nil : try CallerText.source(binding.prototype, "the prototype of \(method)")
            let function = unsafeBitCast(binding.function, to: UnsafeRawPointer?.self)
            read.append(FunctionBinding(method: method, function: function, prototype: prototype))
        }
        return read
    }
}

/// Bindings that were checked, and their tables.
final class KnownBindings: @unchecked Sendable {
    // Unchecked: the memory is its own and never changes.
    private let list: UnsafeBufferPointer<peal_binding>
    let tables: ObserverTables

    /// Returns nil if memory is refused.
    init?(_ list: UnsafeBufferPointer<peal_binding>, _ tables: ObserverTables) {
        guard let copy = peal_bindings_copy(list.baseAddress, list.count) else { return nil }
        self.list = UnsafeBufferPointer(start: copy, count: list.count)
        self.tables = tables
    }

    deinit {
        peal_memory_free(UnsafeMutableRawPointer(mutating: list.baseAddress))
    }

    @inline(__always)
    func isEqual(to other: UnsafeBufferPointer<peal_binding>) -> Bool {
        list.count == other.count && peal_bindings_are_equal(list.baseAddress, other.baseAddress, list.count)
    }
}

extension UnsafeBufferPointer<peal_binding> {
    var firstFunction: UnsafeRawPointer? { isEmpty ? nil : unsafeBitCast(self[0].function, to: UnsafeRawPointer?.self) }
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
