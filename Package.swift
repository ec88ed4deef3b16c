// swift-tools-version: 6.2
// SwiftPM is for developing peal and for using it from Swift packages; CMake ships the library.
import CompilerPluginSupport
import PackageDescription

let engine: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// A page for contributors is no source.
let page = "README.md"
/// The folders of PealCore that have one.
let folders = [
    "Arguments", "Broadcast", "Center", "Completion", "Handle", "Invocation", "Module", "Observer", "Owner", "Property",
    "Protocol", "Proxy", "Queue", "Reference", "Service", "Snapshot", "Timer",
]

/// The modules of swift-syntax that the macros import.
let syntax: [Target.Dependency] = [
    "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros", "SwiftDiagnostics", "SwiftCompilerPlugin",
].map {
    .product(name: $0, package: "swift-syntax", condition: .when(traits: ["Macros"]))
}

let package = Package(
    name: "peal",
    products: [
        .library(name: "Peal", targets: ["Peal"]),
        .library(name: "PealABI", targets: ["PealABI", "CPealEntry"]),
        .plugin(name: "PealDeclarationsPlugin", targets: ["PealDeclarationsPlugin"]),
    ],
    traits: [
        .trait(name: "Macros", description: "Adds @PealProtocol. Its users compile swift-syntax once.")
    ],
    // Fetched with the trait alone.
    dependencies: [.package(url: "https://github.com/swiftlang/swift-syntax.git", "602.0.0"..<"604.0.0")],
    targets: [
        .macro(
            name: "PealMacros", dependencies: syntax, exclude: [page],
            swiftSettings: [.enableUpcomingFeature("ExistentialAny")]),
        .executableTarget(name: "peal-declarations", path: "Sources/PealDeclarations", exclude: [page]),
        .plugin(
            name: "PealDeclarationsPlugin", capability: .buildTool(), dependencies: ["peal-declarations"]),
        .systemLibrary(name: "CPeal", path: "include"),
        .systemLibrary(name: "CFFI", pkgConfig: "libffi", providers: [.apt(["libffi-dev"])]),
        .target(
            name: "CPealSupport", dependencies: ["CPeal"], exclude: [page], cSettings: [.define("_GNU_SOURCE")],
            linkerSettings: [.linkedLibrary("dispatch")]),
        .target(
            name: "CPealEntry", dependencies: ["CPealSupport", "PealABI"],
            cSettings: [.headerSearchPath("../../include")]),
        .target(name: "PealCall", dependencies: ["CFFI", "CPealSupport"], exclude: [page], swiftSettings: engine),
        .target(
            name: "PealCore", dependencies: ["PealCall", "CPealSupport"],
            exclude: folders.map { "\($0)/\(page)" }, swiftSettings: engine),
        .target(
            name: "PealABI", dependencies: ["CPeal", "PealCore", "PealCall", "CPealSupport"], exclude: [page],
            swiftSettings: engine),
        .target(
            name: "Peal",
            dependencies: [
                "CPeal", "PealABI", "CPealEntry", .target(name: "PealMacros", condition: .when(traits: ["Macros"])),
            ], exclude: [page], swiftSettings: engine),
        .testTarget(name: "PealCallTests", dependencies: ["PealCall", "CPealSupport"]),
        .testTarget(name: "PealCoreTests", dependencies: ["PealCore", "CPealSupport"]),
        .testTarget(name: "PealTests", dependencies: ["Peal", "CPeal"], swiftSettings: engine),
    ]
)
