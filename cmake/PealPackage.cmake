# The packages that `cpack` makes: a tarball that may be unpacked in any folder, and Debian packages if dpkg-deb is
# installed. One of them has the debug symbols of the library.
#
# If the Swift module is built, it is in the tarball and in a Debian package of its own, with the library that
# shares the Swift runtime. Both fit only the toolchain that built them, which is in no distribution. So the other
# packages do not depend on them, and only the description of the package names the required Swift.

set(CPACK_PACKAGE_NAME peal)
set(CPACK_PACKAGE_VENDOR peal)
# The distributor of the packages sets their maintainer.
set(PEAL_PACKAGE_CONTACT "The maintainers of peal <maintainers@peal.invalid>" CACHE STRING
  "Name and address in packages")
set(CPACK_PACKAGE_CONTACT ${PEAL_PACKAGE_CONTACT})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_FILE_NAME peal-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL peal_runtime peal_development peal_tools)
if(TARGET peal-wire)
  list(APPEND CPACK_COMPONENTS_ALL peal_wire)
endif()
if(TARGET peal-nats)
  list(APPEND CPACK_COMPONENTS_ALL peal_nats)
endif()
if(CMAKE_OBJCOPY AND CMAKE_READELF)
  list(APPEND CPACK_COMPONENTS_ALL peal_debug)
endif()
if(TARGET PealSwift)
  list(APPEND CPACK_COMPONENTS_ALL peal_swift)
endif()
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/PealPackageOptions.cmake)

set(CPACK_GENERATOR TGZ)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)

find_program(PEAL_DPKG_DEB dpkg-deb)
find_program(PEAL_DPKG_SHLIBDEPS dpkg-shlibdeps)
if(PEAL_DPKG_DEB)
  list(APPEND CPACK_GENERATOR DEB)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "One call reaches every part of a program that cares: protocols declared by C prototypes,
observers that register for them, broadcasts on the calling thread or on queues.")
# This file is not written by CPack, because CPack would also list the private library of the Swift package.
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs
  "libpeal ${PEAL_SOVERSION} libpeal${PEAL_SOVERSION} (>= ${PROJECT_VERSION})\n")
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PEAL_RUNTIME_PACKAGE_CONTROL_EXTRA
  ${PROJECT_BINARY_DIR}/debian/shlibs ${PROJECT_BINARY_DIR}/debian/triggers)

set(CPACK_DEBIAN_PEAL_RUNTIME_PACKAGE_NAME libpeal${PEAL_SOVERSION})
set(CPACK_DEBIAN_PEAL_RUNTIME_PACKAGE_SECTION libs)
# dpkg-shlibdeps reads symbols, and so does not detect that packed relocations need a newer dynamic linker.
if(PEAL_PACK_RELOCATIONS)
  set(CPACK_DEBIAN_PEAL_RUNTIME_PACKAGE_DEPENDS "libc6 (>= 2.36)")
endif()
if(CMAKE_CROSSCOMPILING)
  # dpkg-shlibdeps reads installed packages, which are for this architecture. A test compares the numbers with the library.
  set(CPACK_DEBIAN_PEAL_RUNTIME_PACKAGE_DEPENDS "libc6 (>= 2.34), libffi8 (>= 3.4)")
elseif(PEAL_DPKG_SHLIBDEPS)
  set(CPACK_DEBIAN_PEAL_RUNTIME_PACKAGE_SHLIBDEPS ON)
else()
  message(STATUS "peal: no dpkg-shlibdeps: the Debian package will not say which libraries it needs")
endif()
set(CPACK_DEBIAN_PEAL_DEBUG_PACKAGE_NAME libpeal${PEAL_SOVERSION}-dbgsym)
set(CPACK_DEBIAN_PEAL_DEBUG_PACKAGE_SECTION debug)
set(CPACK_DEBIAN_PEAL_DEBUG_PACKAGE_DEPENDS "libpeal${PEAL_SOVERSION} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PEAL_DEVELOPMENT_PACKAGE_NAME libpeal-dev)
set(CPACK_DEBIAN_PEAL_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PEAL_DEVELOPMENT_PACKAGE_DEPENDS "libpeal${PEAL_SOVERSION} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PEAL_TOOLS_PACKAGE_NAME peal-tools)
set(CPACK_DEBIAN_PEAL_TOOLS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PEAL_TOOLS_PACKAGE_DEPENDS "libpeal${PEAL_SOVERSION} (= ${PROJECT_VERSION})")
# Debian names the package of libmicrohttpd by the number of its interface.
if(PEAL_MICROHTTPD_LIBRARY)
  file(REAL_PATH ${PEAL_MICROHTTPD_LIBRARY} microhttpd_file)
  if(microhttpd_file MATCHES "libmicrohttpd\\.so\\.([0-9]+)")
    string(APPEND CPACK_DEBIAN_PEAL_TOOLS_PACKAGE_DEPENDS ", libmicrohttpd${CMAKE_MATCH_1}")
  endif()
endif()
set(CPACK_DEBIAN_PEAL_TOOLS_PACKAGE_SUGGESTS "graphviz, libpeal-wire${PEAL_SOVERSION}")
set(CPACK_DEBIAN_PEAL_TOOLS_DESCRIPTION "The command peal, which looks into running programs that use peal
It lists protocols, observers, queues and services, and makes calls.")
set(CPACK_DEBIAN_PEAL_WIRE_PACKAGE_NAME libpeal-wire${PEAL_SOVERSION})
set(CPACK_DEBIAN_PEAL_WIRE_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PEAL_WIRE_PACKAGE_DEPENDS "libpeal${PEAL_SOVERSION} (= ${PROJECT_VERSION})")
# Debian names the package of libcbor by the number of its interface.
if(PEAL_CBOR_LIBRARY)
  file(REAL_PATH ${PEAL_CBOR_LIBRARY} cbor_file)
  if(cbor_file MATCHES "libcbor\\.so\\.([0-9]+\\.[0-9]+)")
    string(APPEND CPACK_DEBIAN_PEAL_WIRE_PACKAGE_DEPENDS ", libcbor${CMAKE_MATCH_1}")
  endif()
endif()
set(CPACK_DEBIAN_PEAL_WIRE_DESCRIPTION "Calls of peal as messages, and recordings of calls
It encodes calls and results for files and other processes, and records and replays the calls of a program.")
set(CPACK_DEBIAN_PEAL_NATS_PACKAGE_NAME libpeal-nats${PEAL_SOVERSION})
set(CPACK_DEBIAN_PEAL_NATS_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PEAL_NATS_PACKAGE_DEPENDS "libpeal-wire${PEAL_SOVERSION} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PEAL_NATS_PACKAGE_SUGGESTS nats-server)
# Debian names the package of libnats by the number of its interface.
if(PEAL_NATS_LIBRARY)
  file(REAL_PATH ${PEAL_NATS_LIBRARY} nats_file)
  if(nats_file MATCHES "libnats\\.so\\.([0-9]+\\.[0-9]+)")
    string(APPEND CPACK_DEBIAN_PEAL_NATS_PACKAGE_DEPENDS ", libnats${CMAKE_MATCH_1}")
  endif()
endif()
set(CPACK_DEBIAN_PEAL_NATS_DESCRIPTION "Broadcasts of peal that reach other processes
It exports and imports protocols through a NATS server, at most once or durably.")
set(CPACK_DEBIAN_PEAL_SWIFT_PACKAGE_NAME libpeal-swift-dev)
set(CPACK_DEBIAN_PEAL_SWIFT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PEAL_SWIFT_PACKAGE_DEPENDS "libpeal-dev (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PEAL_SWIFT_DESCRIPTION "The Swift module Peal, and peal over the shared Swift runtime
Both fit the toolchain that built them, and no other: Swift ${CMAKE_Swift_COMPILER_VERSION}.")

include(CPack)
