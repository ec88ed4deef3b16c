# peal_add_declarations(<target> <header>... [IMPORT <module>...]): generates Swift declarations of the protocols that C
# headers list by PEAL_PROTOCOL, as a source of the target. They are generated again when a header has changed. The
# generated file imports the modules, which have the structs and enumerations that the protocols pass by value.
function(peal_add_declarations target)
  cmake_parse_arguments(PARSE_ARGV 1 more "" "" "IMPORT")
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}.protocols.swift)
  set(headers)
  foreach(header IN LISTS more_UNPARSED_ARGUMENTS)
    get_filename_component(header ${header} ABSOLUTE)
    list(APPEND headers ${header})
  endforeach()
  set(imports)
  foreach(module IN LISTS more_IMPORT)
    list(APPEND imports --import ${module})
  endforeach()
  add_custom_command(OUTPUT ${output} COMMAND peal::declarations ${imports} ${headers} ${output}
    DEPENDS peal::declarations ${headers} VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
