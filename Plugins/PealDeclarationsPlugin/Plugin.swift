import Foundation
import PackagePlugin

/// Writes the Swift declarations of the protocols that the C headers in a target's folder list by PEAL_PROTOCOL.
@main struct PealDeclarationsPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target as? any SourceModuleTarget else { return [] }
        let files = try FileManager.default.contentsOfDirectory(
            at: module.directoryURL, includingPropertiesForKeys: nil)
        let headers = files.filter { $0.pathExtension == "h" }.sorted { $0.path < $1.path }
        if headers.isEmpty { return [] }
        let output = context.pluginWorkDirectoryURL.appending(path: "Protocols.swift")
        return [
            .buildCommand(
                displayName: "Declaring the protocols of \(headers.map(\.lastPathComponent).joined(separator: ", "))",
                executable: try context.tool(named: "peal-declarations").url,
                arguments: headers.map(\.path) + [output.path], inputFiles: headers, outputFiles: [output])
        ]
    }
}
