// swift-tools-version: 6.2
// A package of its own that depends on peal's sources.
import PackageDescription

let package = Package(
    name: "program",
    dependencies: [.package(path: "../peal")],
    targets: [.executableTarget(name: "program", dependencies: [.product(name: "Peal", package: "peal")])]
)
