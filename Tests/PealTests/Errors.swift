import Peal

/// The error that a closure threw; nil where it threw none, or none of peal's.
func pealError<Result>(of body: () throws -> Result) -> PealError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? PealError
    }
}
