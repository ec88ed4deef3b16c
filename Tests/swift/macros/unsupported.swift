// A type that has no equivalent in C. The compiler finds it in the declaration that the macro generates, and names it.
import Peal

struct Day {}

@PealProtocol protocol Calendar {
    func onDay(_ day: Day)
}
