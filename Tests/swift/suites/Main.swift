// Runs the tests of this program with the same arguments as `swift test`.
import Testing

@main
struct Main {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
