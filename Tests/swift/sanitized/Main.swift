// Runs the tests of this program, as `swift test` does; its arguments are the same.
import Testing

@main
struct Main {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
