# The files that `cmake --install` installs, in five components:
#
#     peal_runtime      the self-contained library
#     peal_debug        its debug symbols, only if the component is named
#     peal_development  headers, pkg-config file, CMake package, manual pages
#     peal_tools        the command peal, the library that answers it, its manual page
#     peal_swift        the library with the shared Swift runtime, the Swift module and peal-declarations, which fit one
#                       toolchain only
#
# Both libraries have the same SONAME, since any program can use either. Therefore they are in different folders, and the
# dynamic linker finds only the first one by itself.

set(PEAL_SWIFT_LIBDIR ${CMAKE_INSTALL_LIBDIR}/peal/swift)
set(PEAL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/peal)

# ---- Libraries -------------------------------------------------------------------------------------

# peal_install_library(<target> <flavour> <folder> <component of the file> <component of the link to it>)
function(peal_install_library target flavour folder runtime development)
  install(TARGETS ${target} EXPORT peal-${flavour}-targets
    LIBRARY DESTINATION ${folder} COMPONENT ${runtime} NAMELINK_COMPONENT ${development}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  if(CMAKE_STRIP AND CMAKE_BUILD_TYPE STREQUAL "Release")
    # Names of internal functions are half of the file. Set CMAKE_STRIP to an empty value to keep them.
    cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY "\${CMAKE_INSTALL_PREFIX}" OUTPUT_VARIABLE absolute)
    install(CODE "execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-unneeded \"\$ENV{DESTDIR}${absolute}/libpeal.so.${PROJECT_VERSION}\" COMMAND_ERROR_IS_FATAL ANY)"
      COMPONENT ${runtime})
  endif()
  install(EXPORT peal-${flavour}-targets NAMESPACE peal::
    DESTINATION ${PEAL_CMAKEDIR} COMPONENT ${development})
endfunction()

peal_install_library(peal-self-contained self-contained ${CMAKE_INSTALL_LIBDIR}
  peal_runtime peal_development)
if(TARGET peal)
  peal_install_library(peal swift ${PEAL_SWIFT_LIBDIR} peal_swift peal_swift)
endif()

install(TARGETS peal-test EXPORT peal-self-contained-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT peal_development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/Sources/PealTest/include/peal DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT peal_development)

# Its targets are a file of their own, which is there only with the library.
install(TARGETS peal-inspect EXPORT peal-inspect-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT peal_tools NAMELINK_COMPONENT peal_development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT peal-inspect-targets NAMESPACE peal:: DESTINATION ${PEAL_CMAKEDIR} COMPONENT peal_tools)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/Sources/PealInspect/include/peal DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT peal_development)
if(TARGET peal-command)
  install(TARGETS peal-command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT peal_tools)
  install(FILES ${PROJECT_SOURCE_DIR}/apps/peal/peal.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT peal_tools)
endif()
if(TARGET peal-wire)
  install(TARGETS peal-wire EXPORT peal-wire-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT peal_wire NAMELINK_COMPONENT peal_development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT peal-wire-targets NAMESPACE peal:: DESTINATION ${PEAL_CMAKEDIR} COMPONENT peal_wire)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/Sources/PealWire/include/peal DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT peal_development)
endif()
if(TARGET peal-nats)
  install(TARGETS peal-nats EXPORT peal-nats-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT peal_nats NAMELINK_COMPONENT peal_development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT peal-nats-targets NAMESPACE peal:: DESTINATION ${PEAL_CMAKEDIR} COMPONENT peal_nats)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/Sources/PealNats/include/peal DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT peal_development)
endif()
# Commands for gdb, suppressions for programs that are compiled with the thread sanitizer, the functions for cppcheck.
install(FILES ${PROJECT_SOURCE_DIR}/scripts/gdb/peal-gdb.py ${PROJECT_SOURCE_DIR}/scripts/tsan/tsan.supp
  ${PROJECT_SOURCE_DIR}/scripts/cppcheck/peal.cfg
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/peal COMPONENT peal_development)

if(CMAKE_OBJCOPY AND CMAKE_READELF)
  install(CODE "set(library \"$<TARGET_FILE:peal-self-contained>\")
set(objcopy \"${CMAKE_OBJCOPY}\")
set(readelf \"${CMAKE_READELF}\")" COMPONENT peal_debug EXCLUDE_FROM_ALL)
  install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/PealDebugSymbols.cmake COMPONENT peal_debug EXCLUDE_FROM_ALL)
endif()

# ---- The Swift module --------------------------------------------------------------------------------

# The module is installed beside its library, with a module map, because its importers need the headers as the module
# CPeal. So a compiler needs only one include folder.
if(TARGET PealSwift)
  install(TARGETS PealSwift EXPORT peal-swift-targets
    ARCHIVE DESTINATION ${PEAL_SWIFT_LIBDIR} COMPONENT peal_swift
    INCLUDES DESTINATION ${PEAL_SWIFT_LIBDIR})
  get_target_property(peal_swift_modules PealSwift Swift_MODULE_DIRECTORY)
  install(FILES ${peal_swift_modules}/Peal.swiftmodule ${peal_swift_modules}/Peal.swiftdoc
    DESTINATION ${PEAL_SWIFT_LIBDIR} COMPONENT peal_swift)
  if(TARGET PealMacros)
    install(TARGETS PealMacros LIBRARY DESTINATION ${PEAL_SWIFT_LIBDIR} COMPONENT peal_swift)
  endif()
  # The program that generates declarations, with the CMake function that runs it.
  install(TARGETS peal-declarations EXPORT peal-declarations-targets
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT peal_swift)
  install(EXPORT peal-declarations-targets NAMESPACE peal:: DESTINATION ${PEAL_CMAKEDIR} COMPONENT peal_swift)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/peal-declarations.cmake
    DESTINATION ${PEAL_CMAKEDIR} COMPONENT peal_swift)
  set(peal_headers_folder ${CMAKE_INSTALL_FULL_INCLUDEDIR})
  if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR} AND NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    file(RELATIVE_PATH peal_headers_folder /${PEAL_SWIFT_LIBDIR} /${CMAKE_INSTALL_INCLUDEDIR})
  endif()
  file(READ ${PROJECT_SOURCE_DIR}/include/module.modulemap peal_module_map)
  if(TARGET PealTesting)
    file(READ ${PROJECT_SOURCE_DIR}/Sources/PealTest/include/module.modulemap peal_test_module_map)
    string(APPEND peal_module_map "${peal_test_module_map}")
  endif()
  string(REPLACE "header \"peal/" "header \"${peal_headers_folder}/peal/" peal_module_map "${peal_module_map}")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/module.modulemap CONTENT "${peal_module_map}" @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/module.modulemap ${PROJECT_SOURCE_DIR}/include/CPeal.apinotes
    DESTINATION ${PEAL_SWIFT_LIBDIR} COMPONENT peal_swift)
endif()
# The module for tests is beside it. Its targets are a file of their own, because they need peal::test, which is in
# peal_development.
if(TARGET PealTesting)
  install(TARGETS PealTesting EXPORT peal-swift-testing-targets
    ARCHIVE DESTINATION ${PEAL_SWIFT_LIBDIR} COMPONENT peal_swift
    INCLUDES DESTINATION ${PEAL_SWIFT_LIBDIR})
  get_target_property(peal_testing_modules PealTesting Swift_MODULE_DIRECTORY)
  install(FILES ${peal_testing_modules}/PealTesting.swiftmodule ${peal_testing_modules}/PealTesting.swiftdoc
    DESTINATION ${PEAL_SWIFT_LIBDIR} COMPONENT peal_swift)
  install(EXPORT peal-swift-testing-targets NAMESPACE peal:: DESTINATION ${PEAL_CMAKEDIR} COMPONENT peal_swift)
endif()

# ---- Headers and documents ---------------------------------------------------------------------------

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/peal DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT peal_development FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
# The folder has the number of the interface, so that two versions can be installed at once.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/libpeal${PEAL_SOVERSION} COMPONENT peal_runtime)

# Manual pages are generated from the headers' comments.
find_package(Python3 3.8 COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
  set(peal_man ${PROJECT_BINARY_DIR}/man/man3)
  set(peal_man_script ${PROJECT_SOURCE_DIR}/scripts/make-man-pages)
  # Of the companion libraries, those that are built.
  set(peal_man_companions PealInspect,PealTest)
  foreach(companion Nats Wire)
    string(TOLOWER ${companion} target)
    if(TARGET peal-${target})
      string(APPEND peal_man_companions ",Peal${companion}")
    endif()
  endforeach()
  file(GLOB peal_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/peal/*.h
    ${PROJECT_SOURCE_DIR}/Sources/Peal*/include/peal/*.h)
  add_custom_command(OUTPUT ${peal_man}/peal.3
    COMMAND ${Python3_EXECUTABLE} -B ${peal_man_script} ${peal_man} --companions ${peal_man_companions}
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

# peal_install_pkgconfig(<name> <description> <folder of the library> <component> [CFLAGS <flags>] [LIBS <flags>])
# Absolute paths of folders stay absolute. All other paths are relative to the file.
function(peal_install_pkgconfig name description folder component)
  cmake_parse_arguments(PARSE_ARGV 4 more "" "CFLAGS;LIBS" "")
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

peal_install_pkgconfig(peal "${PROJECT_DESCRIPTION}" ${CMAKE_INSTALL_LIBDIR} peal_development
  LIBS "-L\${libdir} -lpeal")
if(TARGET peal)
  # These flags are for both cc and swiftc, which both accept -Xlinker. The module is named by its path, so that swiftc
  # reads from it which Swift libraries it needs. cc takes nothing from it.
  set(peal_swift_archive)
  if(TARGET PealSwift)
    set(peal_swift_archive "\${libdir}/libPealSwift.a ")
  endif()
  peal_install_pkgconfig(peal-swift "${PROJECT_DESCRIPTION}, on the shared Swift runtime"
    ${PEAL_SWIFT_LIBDIR} peal_swift
    CFLAGS " -I\${libdir}" LIBS "${peal_swift_archive}-L\${libdir} -lpeal -Xlinker -rpath=\${libdir}")
endif()
