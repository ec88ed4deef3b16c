internal import CPeal

/// The properties of a module, in the form of C.
struct ModuleTraits {
    let name: String
    let moduleClass: String?
    let dependencies: [Dependency]
    let priority: Int32
    let stepTimeout: Duration?
    let tables: [Provision]
    let service: String?

    /// Calls a body with the description, which lasts for the call.
    func withDescription(_ body: (inout peal_module_description) -> peal_status) throws(PealError) -> peal_status {
        try NameList.check(name, is: "the module's name")
        try NameList.check(moduleClass ?? "", is: "the module's class")
        for dependency in dependencies { try NameList.check(dependency.name, is: "the dependency") }
        let names = [name, moduleClass ?? "", service ?? ""] + dependencies.map(\.name)
        return try NameList.with(names) { names throws(PealError) in
            try ProvisionList.with([ModuleFunctions.lifecycle] + tables) { provisions throws(PealError) in
                var description = peal_module_description()
                description.size = MemoryLayout<peal_module_description>.size
                description.name = names[0]
                description.class_name = moduleClass == nil ? nil : names[1]
                description.service = service == nil ? nil : names[2]
                description.dependencies = names + 3
                description.tables = provisions
                description.priority = priority
                // Zero would mean ten seconds.
                description.timeout = max(1, Milliseconds.limit(stepTimeout))
                return body(&description)
            }
        }
    }
}
