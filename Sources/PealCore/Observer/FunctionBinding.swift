import PealCall

/// A function for a method, by name.
public struct FunctionBinding: Equatable {
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
        // A function rarely has its method's name.
        try method.check(prototype: prototype, of: "the function", in: state.types)
    }
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
