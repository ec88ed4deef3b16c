# Compiles the layers in Embedded Swift, as one object that needs no Swift runtime.

set(PEAL_EMBEDDED_TRIPLE x86_64-unknown-linux-gnu CACHE STRING "Target of the self-contained library, as the Swift compiler names it")

# Options for Embedded Swift. Each function has a section of its own, so that the linker can drop unused ones.
set(PEAL_EMBEDDED_OPTIONS
  -enable-experimental-feature Embedded ${PEAL_SWIFT_ENGINE} ${PEAL_SWIFT_SANITIZER} -parse-as-library
  -Xfrontend -disable-stack-protector -Xfrontend -function-sections
  # Without this option the object contains a hash of the command, which depends on names of folders.
  -Xfrontend -disable-incremental-llvm-codegen
  -suppress-warnings)

# Repeated instructions become functions of their own, but not in the functions that the benchmarks count. The library
# gets 9 % smaller.
set(PEAL_HOT_FUNCTIONS ${PROJECT_SOURCE_DIR}/cmake/hot-functions.csv)
set(PEAL_OUTLINING
  -Xllvm -enable-machine-outliner=always -Xllvm -enable-linkonceodr-outlining
  -Xllvm -forceattrs-csv-path=${PEAL_HOT_FUNCTIONS})

# -Osize stores a zero by an `and` with the memory. Two of these that overlap wait for each other, which takes longer than
# a hundred instructions. The same functions are compiled without this (in LLVM: `optsize` without `minsize`).
set(PEAL_FAST_FUNCTIONS ${PROJECT_BINARY_DIR}/fast-functions.rsp)
file(STRINGS ${PEAL_HOT_FUNCTIONS} peal_fast_functions)
list(TRANSFORM peal_fast_functions REPLACE "^(.*),nooutline=true$" "-Xllvm -force-remove-attribute=\\1:minsize")
list(JOIN peal_fast_functions "\n" peal_fast_functions)
file(CONFIGURE OUTPUT ${PEAL_FAST_FUNCTIONS} CONTENT "${peal_fast_functions}\n" @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PEAL_HOT_FUNCTIONS})

# peal_compile_embedded(<object> TRIPLE <triple> [OPTIONS <options of swiftc>...]): compiles PealCall, PealCore and
# PealABI as one module to an object file. The options name the machine's headers, if it is not this one.
function(peal_compile_embedded object)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TRIPLE" "OPTIONS")
  set(folder ${PROJECT_SOURCE_DIR}/Sources)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
    ${folder}/PealCall/*.swift ${folder}/PealCore/*.swift ${folder}/PealABI/*.swift)
  set(optimization -Osize)
  if(PEAL_SANITIZE)
    set(optimization -Osize -gline-tables-only)
  elseif(CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(optimization -Onone -g)
  elseif(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
    set(optimization -Osize -g)
  endif()
  if(arg_TRIPLE MATCHES "^x86_64" AND CMAKE_BUILD_TYPE STREQUAL "Release")
    list(APPEND optimization ${PEAL_ALIGNED_LOOPS})
    if(NOT PEAL_SANITIZE)
      list(APPEND optimization ${PEAL_OUTLINING} @${PEAL_FAST_FUNCTIONS})
    endif()
  endif()
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_Swift_COMPILER} ${PEAL_EMBEDDED_OPTIONS} ${optimization}
      -target ${arg_TRIPLE} -module-name PealABI ${arg_OPTIONS}
      -I ${folder}/CPealEmbedded -I ${folder}/CFFI -I ${folder}/CPealSupport/include -I ${PROJECT_SOURCE_DIR}/include
      -file-prefix-map ${PROJECT_SOURCE_DIR}=. -c ${sources} -o ${object}
    DEPENDS ${sources} ${PEAL_C_HEADERS} ${PEAL_HOT_FUNCTIONS} ${folder}/CFFI/CFFI/shim.h ${folder}/CPealEmbedded/module.modulemap
    COMMENT "Compiling the layers in Embedded Swift for ${arg_TRIPLE}" VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
endfunction()
