import Peal

/// What a closure threw; nil where it threw nothing, or nothing of peal's.
func pealError<Result>(of body: () throws -> Result) -> PealError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? PealError
    }
}
