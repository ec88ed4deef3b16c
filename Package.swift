// swift-tools-version: 6.2
// SwiftPM is for developing peal and for using it from Swift packages; CMake ships the library.
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

let package = Package(
    name: "peal",
    products: [
        .library(name: "Peal", targets: ["Peal"]),
        .library(name: "PealABI", targets: ["PealABI", "CPealEntry"]),
    ],
    targets: [
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
            name: "Peal", dependencies: ["CPeal", "PealABI", "CPealEntry"], exclude: [page], swiftSettings: engine),
        .testTarget(name: "PealCallTests", dependencies: ["PealCall", "CPealSupport"]),
        .testTarget(name: "PealCoreTests", dependencies: ["PealCore", "CPealSupport"]),
        .testTarget(name: "PealTests", dependencies: ["Peal", "CPeal"], swiftSettings: engine),
    ]
)
