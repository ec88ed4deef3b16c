# What `cmake --install` puts where, in three components:
#
#     peal_runtime      the self-contained library
#     peal_development  headers, pkg-config file, CMake package, manual pages
#     peal_swift        the library with the shared Swift runtime and the Swift module, which fit one toolchain only
#
# Both libraries have one SONAME, since either serves any program; so they are in different folders, and
# only the first is where the loader looks by itself.

set(PEAL_SWIFT_LIBDIR ${CMAKE_INSTALL_LIBDIR}/peal/swift)
set(PEAL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/peal)

# ---- Libraries -------------------------------------------------------------------------------------

# peal_install_library(<target> <flavour> <folder> <component of the file> <component of the link to it>)
function(peal_install_library target flavour folder runtime development)
  install(TARGETS ${target} EXPORT peal-${flavour}-targets
    LIBRARY DESTINATION ${folder} COMPONENT ${runtime} NAMELINK_COMPONENT ${development}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT peal-${flavour}-targets NAMESPACE peal::
    DESTINATION ${PEAL_CMAKEDIR} COMPONENT ${development})
endfunction()

peal_install_library(peal-self-contained self-contained ${CMAKE_INSTALL_LIBDIR}
  peal_runtime peal_development)
peal_install_library(peal swift ${PEAL_SWIFT_LIBDIR} peal_swift peal_swift)

# ---- The Swift module --------------------------------------------------------------------------------

# It lies beside the library that it is made for. Its importers need the headers as the module CPeal. A module map
# of ours in the system's folder of headers would be in the way of others', so it is one folder deeper, and found
# because the target names it.
if(TARGET PealSwift)
  install(TARGETS PealSwift EXPORT peal-swift-targets
    ARCHIVE DESTINATION ${PEAL_SWIFT_LIBDIR} COMPONENT peal_swift
    INCLUDES DESTINATION ${PEAL_SWIFT_LIBDIR})
  get_target_property(peal_swift_modules PealSwift Swift_MODULE_DIRECTORY)
  install(FILES ${peal_swift_modules}/Peal.swiftmodule ${peal_swift_modules}/Peal.swiftdoc
    DESTINATION ${PEAL_SWIFT_LIBDIR} COMPONENT peal_swift)
  file(READ ${PROJECT_SOURCE_DIR}/include/module.modulemap peal_module_map)
  string(REPLACE "header \"peal/" "header \"" peal_module_map "${peal_module_map}")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/module.modulemap CONTENT "${peal_module_map}" @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/module.modulemap
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/peal COMPONENT peal_swift)
  set(peal_installed_map $<INSTALL_PREFIX>/${CMAKE_INSTALL_INCLUDEDIR}/peal/module.modulemap)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
    set(peal_installed_map ${CMAKE_INSTALL_INCLUDEDIR}/peal/module.modulemap)
  endif()
  target_compile_options(PealSwift INTERFACE
    "$<INSTALL_INTERFACE:$<$<COMPILE_LANGUAGE:Swift>:SHELL:-Xcc -fmodule-map-file=${peal_installed_map}>>")
endif()

# ---- Headers and documents ---------------------------------------------------------------------------

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/peal DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT peal_development FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
# By the number of the interface, so that two of them may be installed at once.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/libpeal${PEAL_SOVERSION} COMPONENT peal_runtime)

# Manual pages are made of the headers' comments.
find_package(Python3 3.8 COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
  set(peal_man ${PROJECT_BINARY_DIR}/man/man3)
  set(peal_man_script ${PROJECT_SOURCE_DIR}/scripts/make-man-pages)
  file(GLOB peal_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/peal/*.h)
  add_custom_command(OUTPUT ${peal_man}/peal.3
    COMMAND ${Python3_EXECUTABLE} -B ${peal_man_script} ${peal_man}
    DEPENDS ${peal_headers} ${peal_man_script} ${PROJECT_SOURCE_DIR}/scripts/peal_headers.py
      ${PROJECT_SOURCE_DIR}/abi/peal.symbols
    COMMENT "Making manual pages of the headers" VERBATIM)
  add_custom_target(peal-man ALL DEPENDS ${peal_man}/peal.3)
  install(DIRECTORY ${peal_man} DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT peal_development
    FILES_MATCHING PATTERN "*.3")
else()
  message(STATUS "peal: no Python 3.8 or later: no manual pages are made")
endif()

# ---- For build systems ---------------------------------------------------------------------------------

include(CMakePackageConfigHelpers)
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/peal-config-version.cmake
  COMPATIBILITY ${compatibility})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/peal-config.cmake.in
  ${PROJECT_BINARY_DIR}/peal-config.cmake INSTALL_DESTINATION ${PEAL_CMAKEDIR}
  NO_SET_AND_CHECK_MACRO)
install(FILES ${PROJECT_BINARY_DIR}/peal-config.cmake ${PROJECT_BINARY_DIR}/peal-config-version.cmake
  DESTINATION ${PEAL_CMAKEDIR} COMPONENT peal_development)

# peal_install_pkgconfig(<name> <description> <folder of the library> <component> [<more to link>])
# A folder that is given as an absolute path stays one; else all is told from where the file lies.
function(peal_install_pkgconfig name description folder component)
  set(destination ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    set(prefix ${CMAKE_INSTALL_PREFIX})
  else()
    file(RELATIVE_PATH up /${destination} /)
    string(REGEX REPLACE "/$" "" up ${up})
    set(prefix \${pcfiledir}/${up})
  endif()
  foreach(place IN ITEMS folder CMAKE_INSTALL_INCLUDEDIR)
    if(NOT IS_ABSOLUTE ${${place}})
      set(${place} \${prefix}/${${place}})
    endif()
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/peal.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${destination} COMPONENT ${component})
endfunction()

peal_install_pkgconfig(peal "${PROJECT_DESCRIPTION}" ${CMAKE_INSTALL_LIBDIR} peal_development)
peal_install_pkgconfig(peal-swift "${PROJECT_DESCRIPTION}, on the shared Swift runtime"
  ${PEAL_SWIFT_LIBDIR} peal_swift " -Wl,-rpath,\${libdir}")
