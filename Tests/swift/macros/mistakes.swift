// Wrong uses of @PealProtocol, each with its diagnostic. The compiler verifies this file (swift.macros.mistakes).
import Peal

@PealProtocol class Window {}  // expected-error {{'Window' is a class: @PealProtocol belongs to a Swift protocol, whose methods are broadcast}}

@PealProtocol struct Point {}  // expected-error {{'Point' is a struct: @PealProtocol belongs to a Swift protocol}}

@PealProtocol func broadcast() {}  // expected-error {{'broadcast' is no protocol: @PealProtocol belongs to a Swift protocol}}

@PealProtocol protocol Empty {}  // expected-error {{'Empty' has no methods: a peal protocol consists of those that are broadcast}}

protocol Plain {
    @PealMethod("on_close") func onClose()  // expected-error {{@PealMethod belongs to a method of a protocol that has @PealProtocol}}
}

@PealProtocol protocol Kinds {
    associatedtype Text  // expected-error {{'Text' is an associated type: a peal protocol has methods only, whose types are the same for all observers}}
    init()  // expected-error {{'Kinds' has an initializer: a peal protocol has methods only}}
    var title: String { get }  // expected-error {{'title' is a property: a peal protocol has methods only; declare a method that returns it, or share it by @Shared}}
    subscript(index: Int) -> Int { get }  // expected-error {{'Kinds' has a subscript: a peal protocol has methods only}}
}

@PealProtocol protocol Functions {
    func send<Value>(_ value: Value)  // expected-error {{'send' is generic over 'Value': a method has one type for each parameter in C}}
    static func start()  // expected-error {{'start' is static: a broadcast calls methods of objects}}
    mutating func change()  // expected-error {{'change' is mutating: a broadcast calls methods of objects}}
    func load() async  // expected-error {{'load' is async: a broadcast does not wait for its observers; leave async out, or isolate the protocol by @MainActor or Actor, where each call is a task}}
    func save() throws -> Int  // expected-error {{'save' throws and returns 'Int': C gets one result, the status of the error or the value; leave one out}}
    @PealMethod(policy: .last, sticky: .last) func last() -> Int  // expected-error {{'last' returns 'Int': a late observer's result has no broadcaster, so leave sticky or the result out}}
    func name()  // expected-error {{'name' is a name that the declaration of each protocol uses; choose another}}
}

@PealProtocol protocol Types {
    func count(_ value: inout Int)  // expected-error {{'value' is inout, 'inout Int': observers get copies; return the value, with the policy .chain}}
    func list(_ texts: String...)  // expected-error {{'texts' has any number of values of 'String': C gets one value for each parameter}}
    func later(_ done: @escaping () -> Void)  // expected-error {{'done' is a function, '() -> Void': for a later answer use Completion}}
    func pair(_ pair: (Int, Int))  // expected-error {{'pair' is a tuple, '(Int, Int)': use one parameter for each element, or a struct that is a PealStruct}}
    func any(_ value: any Sendable)  // expected-error {{'value' is 'any Sendable', which is no single type: C needs a known one, such as Int32 or String}}
    func some(_ value: some Sendable)  // expected-error {{'value' is 'some Sendable', which is no single type}}
    func table(_ table: [String: Int])  // expected-error {{'table' is '[String: Int]', which C cannot read: send its values one by one, or a pointer to them with a count}}
    @PealMethod(policy: .last) func both() -> (Int, Int)  // expected-error {{the result of 'both' is a tuple, '(Int, Int)'}}
}

@PealProtocol protocol Overloads {
    func show(_ text: String)
    func show(_ number: Int)  // expected-error {{'show' is declared twice: in C a method's parameters are no part of its name, so give one another name}}
    func onURL()
    func onUrl()  // expected-error {{'onUrl' and 'onURL' have the same name in C, 'on_url': choose one for this by @PealMethod("…")}}
}

@PealProtocol protocol Results {
    @PealMethod(policy: .every) func close()  // expected-error {{'close' returns nothing, so it has no results for a policy to combine}}
}

@PealProtocol protocol Tasks: Actor {
    func save() async throws  // expected-error {{'save' is async and throws: each call is a task, whose error no broadcaster gets; use a parameter of the type Completion}}
    func size() async -> Int  // expected-error {{'size' is async and returns 'Int': each call is a task, whose result no broadcaster gets; use a parameter of the type Completion}}
}

protocol Base { func onBase() }
@PealProtocol protocol Derived: Base {  // expected-warning {{'Derived' has its own methods only: those of 'Base' are not broadcast by it}}
    func onDerived()
}
