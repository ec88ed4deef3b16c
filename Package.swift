// swift-tools-version: 6.2
// SwiftPM is for developing peal and for using it from Swift packages; CMake ships the library.
import PackageDescription

let engine: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "peal",
    products: [
        .library(name: "Peal", targets: ["Peal"]),
        .library(name: "PealABI", targets: ["PealABI", "CPealEntry"]),
    ],
    targets: [
        .systemLibrary(name: "CPeal", path: "include"),
        .systemLibrary(name: "CFFI", pkgConfig: "libffi", providers: [.apt(["libffi-dev"])]),
        .target(name: "CPealSupport", cSettings: [.define("_GNU_SOURCE")], linkerSettings: [.linkedLibrary("dispatch")]),
        .target(
            name: "CPealEntry", dependencies: ["CPealSupport", "PealABI"],
            cSettings: [.headerSearchPath("../../include")]),
        .target(name: "PealCall", dependencies: ["CFFI", "CPealSupport"], swiftSettings: engine),
        .target(name: "PealCore", dependencies: ["PealCall", "CPealSupport"], swiftSettings: engine),
        .target(name: "PealABI", dependencies: ["CPeal", "PealCore", "PealCall", "CPealSupport"], swiftSettings: engine),
        .target(name: "Peal", dependencies: ["CPeal", "PealABI", "CPealEntry"], swiftSettings: engine),
        .testTarget(name: "PealCallTests", dependencies: ["PealCall", "CPealSupport"]),
        .testTarget(name: "PealCoreTests", dependencies: ["PealCore", "CPealSupport"]),
        .testTarget(name: "PealTests", dependencies: ["Peal", "CPeal"], swiftSettings: engine),
    ]
)
