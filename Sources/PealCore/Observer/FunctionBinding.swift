import PealCall

/// A function for a method, by name.
public struct FunctionBinding {
    public var method: String
    public var function: UnsafeRawPointer?
    /// What the function is, to be checked against the method.
    public var prototype: String?

    public init(method: String, function: UnsafeRawPointer?, prototype: String?) {
        self.method = method
        self.function = function
        self.prototype = prototype
    }

    func checkPrototype(of method: Method, in state: borrowing CenterState) throws(Failure) {
        guard let prototype else { return }
        let signature: Signature
        do throws(SyntaxError) {
            signature = try Signature(prototype, in: state.types)
        } catch {
            throw Failure(error, in: "the prototype given for \(method.title)")
        }
        // A function seldom has its method's name.
        let declared = method.declaration.signature
        if let difference = declared.firstDifference(from: signature, asFunctions: true) {
            throw Failure(.conflict, "the function given for \(method.title) is another: \(difference)")
        }
    }
}
