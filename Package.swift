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
    "Protocol", "Proxy", "Queue", "Reference", "Service", "Snapshot", "Tap", "Timer",
]

/// The modules of swift-syntax that the macros import.
let syntax: [Target.Dependency] = [
    "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros", "SwiftDiagnostics", "SwiftCompilerPlugin",
].map {
    .product(name: $0, package: "swift-syntax", condition: .when(traits: ["Macros"]))
}

/// A module that joins the Swift API to another package.
func integration(_ name: String, _ packages: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: ["Peal"] + packages, path: "Sources/Integrations/\(name)", swiftSettings: engine)
}

let package = Package(
    name: "peal",
    products: [
        .library(name: "Peal", targets: ["Peal"]),
        .library(name: "PealTesting", targets: ["PealTesting"]),
        .library(name: "PealFoundation", targets: ["PealFoundation"]),
        .library(name: "PealObservation", targets: ["PealObservation"]),
        .library(name: "PealServiceLifecycle", targets: ["PealServiceLifecycle"]),
        .library(name: "PealLogging", targets: ["PealLogging"]),
        .library(name: "PealMetrics", targets: ["PealMetrics"]),
        .library(name: "PealABI", targets: ["PealABI", "CPealEntry"]),
        .plugin(name: "PealDeclarationsPlugin", targets: ["PealDeclarationsPlugin"]),
    ],
    traits: [
        .trait(name: "Macros", description: "Adds @PealProtocol. Its users compile swift-syntax once."),
        .trait(name: "ServiceLifecycle", description: "Gives PealServiceLifecycle its content."),
        .trait(name: "Logging", description: "Gives PealLogging its content."),
        .trait(name: "Metrics", description: "Gives PealMetrics its content."),
    ],
    // Each is fetched with its traits alone.
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-syntax.git", "602.0.0"..<"604.0.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.6.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
    ],
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
        // The search path of the public headers.
        .target(
            name: "CPealHeaders", path: ".", sources: ["Sources/PealTest/headers.c"], publicHeadersPath: "include"),
        .target(
            name: "CPealTest", dependencies: ["CPeal", "CPealHeaders"], path: "Sources",
            sources: ["remains", "schedule", "spy", "spy_print"].map { "PealTest/\($0).c" }
                + ["PealText/print.c", "PealText/text.c", "PealText/utf8.c", "PealText/visible.c"],
            publicHeadersPath: "PealTest/include",
            cSettings: [.define("_GNU_SOURCE"), .headerSearchPath("../include")]),
        .target(
            name: "PealTesting", dependencies: ["Peal", "CPeal", "CPealTest"], exclude: [page], swiftSettings: engine),
        integration("PealFoundation"),
        integration("PealObservation"),
        integration(
            "PealServiceLifecycle",
            [
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["ServiceLifecycle"])),
            ]),
        integration(
            "PealLogging",
            [.product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"]))]),
        integration(
            "PealMetrics",
            [.product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics"]))]),
        .testTarget(name: "PealCallTests", dependencies: ["PealCall", "CPealSupport"]),
        .testTarget(name: "PealCoreTests", dependencies: ["PealCore", "CPealSupport"]),
        .testTarget(name: "PealTests", dependencies: ["Peal", "CPeal"], swiftSettings: engine),
    ]
)
