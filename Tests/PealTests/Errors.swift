import Peal

/// Returns the PealError that a closure throws; nil if it throws no error or another one.
func pealError<Result>(of body: () throws -> Result) -> PealError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? PealError
    }
}
