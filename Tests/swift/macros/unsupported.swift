// A type that no value in C has. The compiler finds it in the declaration that the macro makes, and names it.
import Peal

struct Day {}

@PealProtocol protocol Calendar {
    func onDay(_ day: Day)
}
