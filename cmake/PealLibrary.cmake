# peal_compile_when_needed(<target> [layers]...): has a build compile a Swift target when its sources, the C headers or
# the layers below have changed, and only then. CMake names an object for each source and the module as outputs of the
# target; a whole-module build makes no such objects, and leaves an unchanged module as it is. CMake knows no
# dependency on headers and on other modules.
file(GLOB PEAL_C_HEADERS CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/Sources/CPealSupport/include/*.h ${PROJECT_SOURCE_DIR}/include/peal/*.h)
function(peal_compile_when_needed target)
  set(needed ${PEAL_C_HEADERS})
  foreach(layer IN LISTS ARGN)
    list(APPEND needed $<TARGET_FILE:${layer}>)
  endforeach()
  # An empty source that is newer than all of them, as only sources are known to be needed.
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

# peal_add_library(<target> <alias> <folder> [link options]...): libpeal.so in one flavour.
#
# PealABI's sources are the shared library's own, since what is linked from an archive is exported only
# where something refers to it. The version script is made from abi/peal.symbols.
function(peal_add_library target alias folder)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/Sources/PealABI/*.swift)
  add_library(${target} SHARED ${sources})
  # CMake hands a Swift target's linker no objects of C sources; as link libraries it does.
  add_dependencies(${target} CPealEntry)
  add_library(peal::${alias} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${alias})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME peal
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PEAL_SOVERSION}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder}
    Swift_MODULE_NAME PealABI
    Swift_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${target}.modules
    LINK_DEPENDS "${PEAL_VERSION_SCRIPT};${PROJECT_SOURCE_DIR}/cmake/relro.ld")
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE peal-swift-options PealCore $<TARGET_OBJECTS:CPealEntry>)
  target_link_options(${target} PRIVATE
    -use-ld=lld
    "SHELL:-Xlinker --version-script=${PEAL_VERSION_SCRIPT}"
    "SHELL:-Xlinker -z -Xlinker nodelete"
    # What is relocated becomes read-only before the program begins, the addresses of functions too.
    "SHELL:-Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now"
    "SHELL:-Xlinker -T -Xlinker ${PROJECT_SOURCE_DIR}/cmake/relro.ld"
    "SHELL:-Xlinker --gc-sections"
    "SHELL:-Xlinker --icf=all"
    $<$<BOOL:${PEAL_PACK_RELOCATIONS}>:SHELL:-Xlinker -z -Xlinker pack-relative-relocs>
    ${ARGN})
  peal_compile_when_needed(${target} PealCall PealCore)
  # The runtime of a sanitizer comes with the program.
  if(NOT PEAL_SANITIZE)
    target_link_options(${target} PRIVATE "SHELL:-Xlinker -z -Xlinker defs")
  endif()
endfunction()
