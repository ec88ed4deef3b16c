# The macros of the Swift API are a library that the compiler loads. The toolchain has SwiftSyntax, so nothing is fetched.
# Without SwiftSyntax, and in sanitized builds, which the compiler cannot load, the module Peal has no macros.
set(PEAL_SWIFT_HOST ${PEAL_SWIFT_TOOLCHAIN}/lib/swift/host)
if(PEAL_SANITIZE OR NOT EXISTS ${PEAL_SWIFT_HOST}/SwiftSyntaxMacros.swiftmodule)
  return()
endif()

file(GLOB peal_macro_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/Sources/PealMacros/*.swift)
add_library(PealMacros SHARED ${peal_macro_sources})
set_target_properties(PealMacros PROPERTIES Swift_MODULE_NAME PealMacros Swift_LANGUAGE_VERSION 6)
target_compile_options(PealMacros PRIVATE
  -wmo -parse-as-library -DPEAL_MACRO_LIBRARY -enable-upcoming-feature ExistentialAny -I ${PEAL_SWIFT_HOST})
target_link_directories(PealMacros PRIVATE ${PEAL_SWIFT_HOST})
target_link_options(PealMacros PRIVATE "SHELL:-Xlinker -rpath -Xlinker ${PEAL_SWIFT_HOST}")

# peal_use_macros(<target>): the target declares the macros, and its users load them.
function(peal_use_macros target)
  add_dependencies(${target} PealMacros)
  set(installed $<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/peal/swift/libPealMacros.so)
  set(load "$<COMPILE_LANGUAGE:Swift>:SHELL:-load-plugin-library")
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:Swift>:-DMacros> "$<${load} $<TARGET_FILE:PealMacros>>"
    INTERFACE
    "$<BUILD_INTERFACE:$<${load} $<TARGET_FILE:PealMacros>>>" "$<INSTALL_INTERFACE:$<${load} ${installed}>>")
endfunction()
