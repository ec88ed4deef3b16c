# peal_add_library(<target> <alias> <folder> [link options]...): libpeal.so in one flavour.
#
# PealABI's sources are the shared library's own, since what is linked from an archive is exported only
# where something refers to it. The version script is made from abi/peal.symbols.

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
    LINK_DEPENDS ${PEAL_VERSION_SCRIPT})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE peal-swift-options PealCore $<TARGET_OBJECTS:CPealEntry>)
  target_link_options(${target} PRIVATE
    -use-ld=lld
    "SHELL:-Xlinker --version-script=${PEAL_VERSION_SCRIPT}"
    "SHELL:-Xlinker -z -Xlinker nodelete"
    "SHELL:-Xlinker --gc-sections"
    "SHELL:-Xlinker --icf=all"
    $<$<BOOL:${PEAL_PACK_RELOCATIONS}>:SHELL:-Xlinker -z -Xlinker pack-relative-relocs>
    ${ARGN})
  # The runtime of a sanitizer comes with the program.
  if(NOT PEAL_SANITIZE)
    target_link_options(${target} PRIVATE "SHELL:-Xlinker -z -Xlinker defs")
  endif()
endfunction()
