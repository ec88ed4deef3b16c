# peal_compile_when_needed(<target> [layers]...): compiles a Swift target only when its sources, the C headers or the
# layers below have changed. CMake expects an object for each source and a new module as outputs of the target, but a
# whole-module build makes no such objects, and does not write an unchanged module. CMake tracks no dependencies on
# headers and on other modules.
file(GLOB PEAL_C_HEADERS CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/Sources/CPealSupport/include/CPealSupport/*.h ${PROJECT_SOURCE_DIR}/include/peal/*.h
  ${PROJECT_SOURCE_DIR}/include/*.apinotes)
function(peal_compile_when_needed target)
  set(needed ${PEAL_C_HEADERS})
  foreach(layer IN LISTS ARGN)
    list(APPEND needed $<TARGET_FILE:${layer}>)
  endforeach()
  # An empty source that is newer than all dependencies, because CMake only tracks sources.
  set(changed ${CMAKE_CURRENT_BINARY_DIR}/${target}.changed.swift)
  add_custom_command(OUTPUT ${changed}
    COMMAND ${CMAKE_COMMAND} -E touch ${changed} DEPENDS ${needed} VERBATIM)
  target_sources(${target} PRIVATE ${changed})
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(module $<TARGET_PROPERTY:${target},Swift_MODULE_DIRECTORY>/$<TARGET_PROPERTY:${target},Swift_MODULE_NAME>)
    add_custom_command(TARGET ${target} POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E touch $<TARGET_OBJECTS:${target}> ${module}.swiftmodule
      COMMAND_EXPAND_LISTS)
  endif()
endfunction()

set(PEAL_VERSION_SCRIPT ${PROJECT_BINARY_DIR}/peal.map)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/abi/peal.symbols)
file(STRINGS ${PROJECT_SOURCE_DIR}/abi/peal.symbols peal_symbols REGEX "^peal_")
list(JOIN peal_symbols ";\n    " peal_symbol_lines)
file(CONFIGURE OUTPUT ${PEAL_VERSION_SCRIPT} @ONLY CONTENT
"PEAL_@PEAL_SOVERSION@ {
  global:
    @peal_symbol_lines@;
  local:
    *;
};
")

# peal_set_up_library(<target> <alias> <folder> [link options]...): sets the properties that both flavours of libpeal.so
# share. The version script is made from abi/peal.symbols.
function(peal_set_up_library target alias folder)
  add_library(peal::${alias} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${alias}
    OUTPUT_NAME peal
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PEAL_SOVERSION}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder}
    LINK_DEPENDS "${PEAL_VERSION_SCRIPT};${PROJECT_SOURCE_DIR}/cmake/relro.ld")
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_options(${target} PRIVATE
    LINKER:--version-script=${PEAL_VERSION_SCRIPT}
    LINKER:-z,nodelete
    # Relocated data, including addresses of functions, becomes read-only before the program begins.
    LINKER:-z,relro LINKER:-z,now
    LINKER:-T,${PROJECT_SOURCE_DIR}/cmake/relro.ld
    LINKER:--gc-sections
    LINKER:--icf=all
    $<$<BOOL:${PEAL_PACK_RELOCATIONS}>:LINKER:-z,pack-relative-relocs>
    ${ARGN})
  # A sanitizer's runtime is part of the program.
  if(NOT PEAL_SANITIZE)
    target_link_options(${target} PRIVATE LINKER:-z,defs)
  endif()
endfunction()

# peal_add_shared_runtime_library(<target> <alias> <folder> [link options]...): adds libpeal.so with the Swift runtime of
# the toolchain.
#
# PealABI's sources are compiled in the shared library itself, since symbols of an archive are exported only if the
# library refers to them.
function(peal_add_shared_runtime_library target alias folder)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/Sources/PealABI/*.swift)
  add_library(${target} SHARED ${sources})
  # CMake does not pass objects of C sources to a Swift target's linker, unless they are link libraries.
  add_dependencies(${target} CPealEntry)
  set_target_properties(${target} PROPERTIES
    Swift_MODULE_NAME PealABI
    Swift_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${target}.modules)
  target_link_libraries(${target} PRIVATE peal-swift-options PealCore $<TARGET_OBJECTS:CPealEntry>)
  peal_set_up_library(${target} ${alias} ${folder} -use-ld=lld ${ARGN})
  peal_compile_when_needed(${target} PealCall PealCore)
endfunction()

# peal_add_embedded_library(<target> <alias> <folder> TRIPLE <triple> [OPTIONS <options of swiftc>...]
# [LIBRARIES <libraries>...]): adds libpeal.so in Embedded Swift, which needs no Swift runtime. The C compiler links it.
function(peal_add_embedded_library target alias folder)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "TRIPLE" "OPTIONS;LIBRARIES")
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.o)
  peal_compile_embedded(${object} TRIPLE ${arg_TRIPLE} OPTIONS ${arg_OPTIONS})
  add_library(${target} SHARED
    ${object} $<TARGET_OBJECTS:CPealEntry> ${PROJECT_SOURCE_DIR}/Sources/CPealEmbedded/standard.c)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
  target_compile_options(${target} PRIVATE -Wall -Wextra -fvisibility=hidden ${PEAL_FORTIFY})
  target_link_libraries(${target} PRIVATE CPealSupport ${arg_LIBRARIES}
    ${PEAL_SWIFT_TOOLCHAIN}/lib/swift/embedded/${arg_TRIPLE}/libswiftUnicodeDataTables.a)
  # Functions that small programs call are adjacent, so that such programs keep little of the library in memory.
  set(order ${PROJECT_SOURCE_DIR}/cmake/function-order.txt)
  peal_set_up_library(${target} ${alias} ${folder} -fuse-ld=lld -B${PEAL_SWIFT_TOOLCHAIN}/bin
    LINKER:--symbol-ordering-file=${order} LINKER:--no-warn-symbol-ordering)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${order})
endfunction()

# peal_link_tool(<program> <libraries>...): links a program that uses the library with the shared Swift runtime to libraries
# that are linked to the self-contained one. CMake would add both folders of libpeal.so to the search path, in an order that
# it cannot know. The program searches the first folder alone, unless LD_LIBRARY_PATH names the other.
function(peal_link_tool target)
  target_link_libraries(${target} PRIVATE ${ARGN})
  if(TARGET peal::self-contained)
    set_target_properties(${target} PROPERTIES SKIP_BUILD_RPATH ON)
    target_link_options(${target} PRIVATE LINKER:-rpath,$<TARGET_FILE_DIR:peal::swift>)
  endif()
endfunction()
