# Compiles the layers in Embedded Swift, as one object that needs no Swift runtime.

set(PEAL_EMBEDDED_TRIPLE x86_64-unknown-linux-gnu CACHE STRING "Target of the self-contained library, as the Swift compiler names it")

# Options for Embedded Swift.
set(PEAL_EMBEDDED_OPTIONS
  -enable-experimental-feature Embedded ${PEAL_SWIFT_ENGINE} ${PEAL_SWIFT_SANITIZER} -parse-as-library
  -Xfrontend -disable-stack-protector -suppress-warnings)

# Repeated instructions become functions of their own, but not in the functions that the benchmarks count. Such a function
# has an unwind table of some 40 bytes, so it must save more than that.
set(PEAL_HOT_FUNCTIONS ${PROJECT_SOURCE_DIR}/cmake/hot-functions.csv)
set(PEAL_OUTLINING
  -mllvm -enable-machine-outliner=always -mllvm -enable-linkonceodr-outlining -mllvm -outliner-benefit-threshold=40)

# -Osize stores a zero by an `and` with the memory. Two of these that overlap wait for each other, which takes longer than
# a hundred instructions. The same functions are compiled without this (in LLVM: `optsize` without `minsize`).
set(PEAL_FAST_FUNCTIONS ${PROJECT_BINARY_DIR}/fast-functions.rsp)
file(STRINGS ${PEAL_HOT_FUNCTIONS} peal_fast_functions)
list(TRANSFORM peal_fast_functions REPLACE "^(.*),nooutline=true$" "-Xllvm -force-remove-attribute=\\1:minsize")
list(JOIN peal_fast_functions "\n" peal_fast_functions)
file(CONFIGURE OUTPUT ${PEAL_FAST_FUNCTIONS} CONTENT "${peal_fast_functions}\n" @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PEAL_HOT_FUNCTIONS})

# The compiler marks all functions of Embedded Swift `nounwind` and gives none an unwind table, without which debuggers,
# profilers and sanitizers lose the callers of a callback. No option changes that. So it writes the optimized code of LLVM as
# text, in which each function gets the attribute `uwtable`, and its clang generates the same machine code with the tables.
# Each function has a section of its own, so that the linker can drop unused ones.
set(PEAL_UNWIND_TABLES sed -i "s/^attributes #[0-9]* = {/& uwtable/")
set(PEAL_CODE_GENERATION -x ir -c -fPIC -ffunction-sections -Wno-override-module -Xclang -disable-llvm-passes)

# peal_compile_embedded(<object> TRIPLE <triple> [OPTIONS <options of swiftc>...]): compiles PealCall, PealCore and
# PealABI as one module to an object file. The options name the machine's headers, if it is not this one.
function(peal_compile_embedded object)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TRIPLE" "OPTIONS")
  set(folder ${PROJECT_SOURCE_DIR}/Sources)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
    ${folder}/PealCall/*.swift ${folder}/PealCore/*.swift ${folder}/PealABI/*.swift)
  set(optimization -Osize)
  set(generation ${PEAL_CODE_GENERATION} -O2)
  if(PEAL_SANITIZE STREQUAL "address" AND NOT PEAL_NIGHTLY_TESTS)
    # As the other library (PEAL_SWIFT_SANITIZED): it takes half the time to compile.
    set(optimization -Onone -gline-tables-only)
    set(generation ${PEAL_CODE_GENERATION} -O0)
  elseif(PEAL_SANITIZE)
    set(optimization -Osize -gline-tables-only)
  elseif(CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(optimization -Onone -g)
    set(generation ${PEAL_CODE_GENERATION} -O0)
  elseif(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
    set(optimization -Osize -g)
  endif()
  if(arg_TRIPLE MATCHES "^x86_64" AND CMAKE_BUILD_TYPE STREQUAL "Release")
    string(REPLACE "-Xllvm" "-mllvm" aligned_loops "${PEAL_ALIGNED_LOOPS}")
    list(APPEND generation ${aligned_loops})
    if(NOT PEAL_SANITIZE)
      list(APPEND optimization -Xllvm -forceattrs-csv-path=${PEAL_HOT_FUNCTIONS} @${PEAL_FAST_FUNCTIONS})
      list(APPEND generation ${PEAL_OUTLINING})
    endif()
  endif()
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_Swift_COMPILER} ${PEAL_EMBEDDED_OPTIONS} ${optimization}
      -target ${arg_TRIPLE} -module-name PealABI ${arg_OPTIONS}
      -I ${folder}/CPealEmbedded -I ${folder}/CFFI -I ${folder}/CPealSupport/include -I ${PROJECT_SOURCE_DIR}/include
      -file-prefix-map ${PROJECT_SOURCE_DIR}=. -emit-ir ${sources} -o ${object}.ll
    COMMAND ${PEAL_UNWIND_TABLES} ${object}.ll
    COMMAND ${PEAL_SWIFT_TOOLCHAIN}/bin/clang -target ${arg_TRIPLE} ${generation} ${object}.ll -o ${object}
    COMMAND ${CMAKE_COMMAND} -E rm ${object}.ll
    DEPENDS ${sources} ${PEAL_C_HEADERS} ${PEAL_HOT_FUNCTIONS} ${folder}/CFFI/CFFI/shim.h ${folder}/CPealEmbedded/module.modulemap
    COMMENT "Compiling the layers in Embedded Swift for ${arg_TRIPLE}" VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
endfunction()
