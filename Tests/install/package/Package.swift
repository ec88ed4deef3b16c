// swift-tools-version: 6.2
// A package that depends on the sources of peal.
import PackageDescription

let package = Package(
    name: "program",
    dependencies: [.package(path: "../peal")],
    targets: [
        .executableTarget(name: "program", dependencies: [.product(name: "Peal", package: "peal")]),
        // Its protocols are declared by a C header.
        .executableTarget(
            name: "declarations", dependencies: [.product(name: "Peal", package: "peal")], exclude: ["chat.h"],
            plugins: [.plugin(name: "PealDeclarationsPlugin", package: "peal")]),
    ]
)
