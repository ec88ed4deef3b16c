# The layers in Embedded Swift, as one object without a Swift runtime.

set(PEAL_EMBEDDED_TRIPLE x86_64-unknown-linux-gnu CACHE STRING "Target of the self-contained library, as the Swift compiler names it")

# Embedded Swift, and nothing that a library without a runtime has no use for. Functions in sections of their own let
# the linker drop those without a caller.
set(PEAL_EMBEDDED_OPTIONS
  -enable-experimental-feature Embedded ${PEAL_SWIFT_ENGINE} ${PEAL_SWIFT_SANITIZER} -parse-as-library
  -Xfrontend -disable-stack-protector -Xfrontend -function-sections
  # Or the object has a hash of this command, which names folders.
  -Xfrontend -disable-incremental-llvm-codegen
  -suppress-warnings)

# peal_compile_embedded(<object> TRIPLE <triple> [OPTIONS <options of swiftc>...]): compiles PealCall, PealCore and
# PealABI as one module to an object file. The options name the machine's headers, if it is not this one.
function(peal_compile_embedded object)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TRIPLE" "OPTIONS")
  set(folder ${PROJECT_SOURCE_DIR}/Sources)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
    ${folder}/PealCall/*.swift ${folder}/PealCore/*.swift ${folder}/PealABI/*.swift)
  set(optimization -Osize)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(optimization -Onone -g)
  elseif(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
    set(optimization -Osize -g)
  endif()
  if(arg_TRIPLE MATCHES "^x86_64" AND CMAKE_BUILD_TYPE STREQUAL "Release")
    list(APPEND optimization ${PEAL_ALIGNED_LOOPS})
  endif()
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_Swift_COMPILER} ${PEAL_EMBEDDED_OPTIONS} ${optimization}
      -target ${arg_TRIPLE} -module-name PealABI ${arg_OPTIONS}
      -I ${folder}/CPealEmbedded -I ${folder}/CFFI -I ${folder}/CPealSupport/include -I ${PROJECT_SOURCE_DIR}/include
      -file-prefix-map ${PROJECT_SOURCE_DIR}=. -c ${sources} -o ${object}
    DEPENDS ${sources} ${PEAL_C_HEADERS} ${folder}/CFFI/shim.h ${folder}/CPealEmbedded/module.modulemap
    COMMENT "Compiling the layers in Embedded Swift for ${arg_TRIPLE}" VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
endfunction()
