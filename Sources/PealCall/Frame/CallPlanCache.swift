/// All plans of the process, by shape.
///
/// Shapes are few: programs have many prototypes, but these fall on the same sequences of integers,
/// floats and small structs. Therefore plans are kept permanently.
public enum CallPlanCache {
    private static let plans = Guarded<[CallShape: CallPlan.Pointer]>([:])

    /// The plan of a shape, made at its first request.
    public static func plan(for shape: CallShape) throws(OutOfMemory) -> CallPlan.Pointer {
        let result: Result<CallPlan.Pointer, OutOfMemory> = plans.withLock { plans in
            if let known = plans[shape] { return .success(known) }
            do throws(OutOfMemory) {
                let plan = try CallPlan.make(shape)
                plans[shape] = plan
                return .success(plan)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
