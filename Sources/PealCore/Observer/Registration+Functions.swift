internal import CPealSupport
import PealCall

extension CenterState {
    /// The tables of the last registration, if they are those of this one. Most registrations in a row have one table,
    /// and neither a queue nor a service. The protocol keeps the tables until it gets others.
    @inline(__always)
    mutating func lastTables(of registration: inout Registration, _ proto: PealProtocol) -> Borrowed<ObserverTables>? {
        guard registration.queue == nil else { return nil }
        if let table = registration.table { return self[proto].tables.findLast(table, of: proto) }
        guard registration.named != nil else { return nil }
        return self[proto].tables.findLast(&registration.named!)
    }

    /// The functions of a registration, checked, and shared with the observers that have the same ones.
    @inline(never)
    mutating func tables(
        of registration: inout Registration, _ proto: PealProtocol
    ) throws(Failure) -> ObserverTables {
        // The functions were checked when they were read.
        if let functions = registration.tables { return try share(functions, of: proto) }
        let tables = try sharedTables(of: &registration, proto)
        if !tables.isComplete { try checkConformance(of: try functions(of: registration), to: proto) }
        if registration.queue != nil { try checkPointers(of: registration, tables.methods) }
        return tables
    }

    /// The functions of a table that a service provides, checked and shared. They have no target and no queue.
    mutating func tables(_ table: UnsafeRawPointer, of proto: PealProtocol) throws(Failure) -> ObserverTables {
        try FunctionTables.checkSize(of: table, for: proto, in: self)
        if let known = self[proto].tables.find(table, of: proto), known.isComplete { return known }
        var registration = Registration(proto: proto, target: nil, functions: .table(table))
        return try tables(of: &registration, proto)
    }

    private mutating func sharedTables(
        of registration: inout Registration, _ proto: PealProtocol
    ) throws(Failure) -> ObserverTables {
        if registration.lazy == nil, case .table(let table) = registration.functions {
            try FunctionTables.checkSize(of: table, for: proto, in: self)
            if let known = self[proto].tables.find(table, of: proto) { return known }
        }
        if registration.options.contains(.includesLater) {
            return try ObserverTables(
                try functions(of: registration), of: proto, in: self, later: LaterMethods(of: registration))
        }
        guard registration.lazy == nil, var named = registration.named else {
            return try share(try functions(of: registration), of: proto)
        }
        if let known = self[proto].tables.find(&named) { return known }
        let tables = try share(try functions(of: registration), of: proto)
        self[proto].tables.note(tables, of: &named)
        return tables
    }

    private func share(_ functions: FunctionTables, of proto: PealProtocol) throws(Failure) -> ObserverTables {
        self[proto].tables.share(try ObserverTables(functions, of: proto, in: self))
    }

    /// Reads and checks the functions of a later registration.
    func readFunctions(of registration: borrowing Registration) throws(Failure) -> FunctionTables {
        let functions = try functions(of: registration)
        try checkConformance(of: functions, to: registration.proto)
        if registration.queue != nil {
            let methods = registration.proto.family.flatMap { self[$0].all }
            try checkPointers(of: registration, methods.filter { functions.function(for: $0) != nil })
        }
        return functions
    }

    private func functions(of registration: borrowing Registration) throws(Failure) -> FunctionTables {
        if let lazy = registration.lazy { return lazy.functions }
        return switch registration.functions {
        case .table(let table): try FunctionTables(reading: table, of: registration.proto, in: self)
        case .service: FunctionTables()
        case .bindings(let bindings): try FunctionTables(binding: bindings, of: registration.proto, in: self)
        case .named(let given):
            if let handler = given.handler {
                try FunctionTables(
                    handler: handler, names: try given.readNames(), of: registration.proto, in: self)
            } else {
                try FunctionTables(binding: try FunctionBinding.read(given), of: registration.proto, in: self)
            }
        case .handler(let function):
            try FunctionTables(
                handler: function, names: nil, includesLater: registration.options.contains(.includesLater),
                of: registration.proto,
                in: self)
        }
    }

    func checkConformance(of functions: FunctionTables, to proto: PealProtocol) throws(Failure) {
        let missing = functions.missing(from: self[proto].all)
        guard missing.isEmpty else {
            let given = "the \(functions.handled == nil ? "table" : "handler") for \(proto.name) lacks"
            throw Failure(.conformance, "\(given) required methods: \(Self.list(missing.map { $0.title }))")
        }
    }

    /// Fails if a queue cannot capture the arguments. A pointer without a rule for its lifetime may be invalid at
    /// delivery.
    private func checkPointers(of registration: borrowing Registration, _ methods: [Method]) throws(Failure) {
        guard !registration.options.contains(.borrowed) else { return }
        for method in methods {
            guard let index = method.copyPlan.pointee.firstBarePointer else { continue }
            let parameter = method.declaration.signature.parameters[index]
            let name = parameter.name ?? "\(index + 1)"
            throw Failure(
                .type,
                "\(method.title): parameter \(name) is a bare pointer, which may be invalid when the queue delivers the call; declare its length (__counted_by), register its type, or promise with `borrowed` or PEAL_OBSERVE_BORROWED that it outlives the delivery"
            )
        }
    }
}
