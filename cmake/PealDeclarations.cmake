# peal_add_declarations(<target> <header>...): generates Swift declarations of the protocols that C headers list by
# PEAL_PROTOCOL, as a source of the target. They are generated again when a header has changed.
add_executable(peal-declarations
  ${PROJECT_SOURCE_DIR}/Sources/PealDeclarations/main.swift ${PROJECT_SOURCE_DIR}/Sources/PealDeclarations/Header.swift
  ${PROJECT_SOURCE_DIR}/Sources/PealDeclarations/ListedProtocol.swift)
set_target_properties(peal-declarations PROPERTIES Swift_LANGUAGE_VERSION 6 Swift_MODULE_NAME PealDeclarations)
target_compile_options(peal-declarations PRIVATE -wmo)

function(peal_add_declarations target)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}.protocols.swift)
  set(headers)
  foreach(header IN LISTS ARGN)
    get_filename_component(header ${header} ABSOLUTE)
    list(APPEND headers ${header})
  endforeach()
  add_custom_command(OUTPUT ${output} COMMAND peal-declarations ${headers} ${output}
    DEPENDS peal-declarations ${headers} VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
