import PealCall

/// All copy plans of the process, by their keys. Like call plans they are few, and are never freed.
enum CopyPlanCache {
    private static let plans = Guarded<[CopyPlan.Key: CopyPlan.Pointer]>([:])

    /// The plan of a method's arguments, made at its first request.
    ///
    /// - Parameter shapes: The shapes of the method's parameters.
    static func plan(for declaration: MethodDeclaration, _ shapes: [ValueShape]) throws(OutOfMemory) -> CopyPlan.Pointer
    {
        let key = CopyPlan.Key(declaration, shapes)
        let result: Result<CopyPlan.Pointer, OutOfMemory> = plans.withLock { plans in
            if let known = plans[key] { return .success(known) }
            do throws(OutOfMemory) {
                let plan = try CopyPlan.make(key)
                plans[key] = plan
                return .success(plan)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
