// The compiler's plugin as an executable, for SwiftPM. CMake builds a library, which has no entry point of its own.
#if canImport(SwiftCompilerPlugin)
import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main struct Plugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [PealProtocolMacro.self, PealMethodMacro.self]
}
#elseif !PEAL_MACRO_LIBRARY
// Without the trait Macros the package has no swift-syntax, and no module uses this program.
@main struct Plugin { static func main() {} }
#endif
