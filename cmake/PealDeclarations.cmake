# The program peal-declarations, and peal_add_declarations, which runs it.
add_executable(peal-declarations)
file(GLOB peal_declarations_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/Sources/PealDeclarations/*.swift)
target_sources(peal-declarations PRIVATE ${peal_declarations_sources})
set_target_properties(peal-declarations PROPERTIES Swift_LANGUAGE_VERSION 6 Swift_MODULE_NAME PealDeclarations
  EXPORT_NAME declarations)
target_compile_options(peal-declarations PRIVATE -wmo)
if(PEAL_SANITIZE)
  set_target_properties(peal-declarations PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
add_executable(peal::declarations ALIAS peal-declarations)
include(${CMAKE_CURRENT_LIST_DIR}/peal-declarations.cmake)
