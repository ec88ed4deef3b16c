/// The reason why a header is refused, at a line of it. The sentence names what the header should have instead.
struct Problem: Error {
    let line: Int
    let sentence: String
}
